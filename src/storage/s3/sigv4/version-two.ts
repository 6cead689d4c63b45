import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { HttpRequest } from '../../../platform/http/message.ts'
import { S3Error } from '../errors.ts'
import { withoutOuterSpace } from '../headers/field-value.ts'
import { parseSigningTime } from './amz-date.ts'
import { reencodedPath } from './canonical-readings.ts'
import { checkExpiryTime, checkSkew } from './claim-checks.ts'
import { checkRepeatedHeaders, isRepeated, signedHeaderValues } from './received-headers.ts'
import { expiredAt } from './refusal-reasons.ts'
import { decoy, matchSecret } from './secret-match.ts'
import { isSecret, type SignatureMismatch, signatureMismatch } from './signature-mismatch.ts'
import type { SignatureSettings } from './signature-settings.ts'
import { readVersionTwo, type VersionTwoClaim } from './version-two-claim.ts'

/** The refusal of Signature Version 2, which old clients use by default, and boto3 and aws-cli in presigned URLs. */
export function versionFourNeeded(seen: string): S3Error {
  return new S3Error(
    'AccessDenied',
    `The request has ${seen} of Signature Version 2. Set the client to Signature Version 4, which clients call v4, ` +
      's3v4 or AWS4-HMAC-SHA256, or the gateway to COMPATIBILITY=aws.',
    { inAws: { code: 'InvalidRequest' } },
  )
}

/**
 * Verifies a request of Signature Version 2, in an Authorization header or a presigned URL, and returns the credential
 * that it is signed with (https://docs.aws.amazon.com/AmazonS3/latest/userguide/RESTAuthentication.html). Every x-amz-*
 * header is signed. The host is not.
 *
 * @throws S3Error AccessDenied; as `readVersionTwo`; RequestTimeTooSkewed for a wrong clock.
 */
export function verifyVersionTwo(
  request: HttpRequest,
  { keys, publicUrl, hostBucket }: SignatureSettings,
  nowMs: number,
  onMismatch?: (details: SignatureMismatch) => void,
) {
  // "CanonicalizedResource": the bucket is signed with the path, wherever it is.
  const resource = hostBucket === undefined ? request.rawPath : `/${hostBucket}${request.rawPath}`
  const claim = readVersionTwo(request)
  const date = checkedDate(claim, request.headers, nowMs)
  const known = keys.find(claim.accessKeyId)
  const credential = known ?? decoy
  const amzHeaders = signedAmzHeaders(request, claim)
  const textOf = (path: string, isShown = false) =>
    [
      request.method,
      ...plainHeaders.map((name) => request.headers[name]?.toString().trim() ?? ''),
      date,
      ...amzHeaders.map(({ name, value }) => {
        return `${name}:${isShown && isSecret(name) ? '[redacted]' : value}`
      }),
      path + canonicalParameters(claim),
    ].join('\n')
  const withSlash = /^\/[^/]+$/.test(resource) ? `${resource}/` : resource
  // As sent, as AWS encodes it, and that of a bucket as boto3 signs it.
  const paths = [...new Set([resource, reencodedPath(resource), withSlash])]
  for (const path of paths) {
    const bytes = Buffer.from(textOf(path), 'latin1')
    const match = matchSecret(credential.secretKeys, claim.signature, (secretKey) => ({
      signature: createHmac('sha1', secretKey).update(bytes).digest('base64'),
    }))
    if (match !== undefined) return credential
  }
  const details = () => ({ stringToSign: textOf(paths[0] ?? '', true) })
  onMismatch?.(details())
  throw signatureMismatch({
    ...{ request, accessKeyId: claim.accessKeyId, isKnownKey: known !== undefined },
    ...{ signature: claim.signature, publicUrl, details },
  })
}

/** What is signed in the place of the date. */
function checkedDate(
  { expires }: VersionTwoClaim,
  { date = '', 'x-amz-date': amzDate }: IncomingHttpHeaders,
  nowMs: number,
): string {
  if (expires !== undefined) {
    const expiresAtMs = Number(expires) * 1_000
    checkExpiryTime(expiresAtMs, nowMs, () => expiredAt(expiresAtMs))
    return expires
  }
  const signedAtMs = parseSigningTime(amzDate?.toString() ?? date)
  // AWS takes a time before 1970 for no date.
  if (signedAtMs === undefined || signedAtMs < 0) {
    throw new S3Error('AccessDenied', 'A valid Date or x-amz-date header is required.')
  }
  checkSkew(signedAtMs, nowMs)
  return amzDate === undefined ? date : ''
}

/** In the order in which they are signed. */
const plainHeaders = ['content-md5', 'content-type'] as const

/** @throws S3Error AccessDenied if the service would use other values than those that are signed. */
function signedAmzHeaders({ headers, rawHeaders }: HttpRequest, { fields }: VersionTwoClaim) {
  for (const name of plainHeaders) {
    if (!isRepeated(rawHeaders, name)) continue
    throw new S3Error('AccessDenied', `The signed header ${name} must be sent once.`)
  }
  const names = Object.keys(headers).filter((name) => name.startsWith('x-amz-'))
  const signed = signedHeaderValues(rawHeaders, names, withoutOuterSpace)
  checkRepeatedHeaders(headers, signed, withoutOuterSpace)
  // A header with another value than its parameter is refused when the parameters become headers.
  const added = fields.filter(([name]) => headers[name] === undefined)
  return [...signed, ...added.map(([name, value]) => ({ name, value }))].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )
}

/** The values are decoded, as AWS requires for response-*; one latin1 character per byte. One that is empty is left out. */
function canonicalParameters({ parameters }: VersionTwoClaim): string {
  const pairs = parameters.map(([name, value]) => {
    return value === '' ? name : `${name}=${Buffer.from(value).toString('latin1')}`
  })
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}
