import { createHmac } from 'node:crypto'
import type { HttpRequest } from '../../http/message.ts'
import { S3Error } from '../errors.ts'
import { withoutOuterSpace } from '../headers/field-value.ts'
import { reencodedPath } from './canonical-readings.ts'
import { checkExpiryTime } from './claim-checks.ts'
import { checkRepeatedHeaders, isRepeated, signedHeaderValues } from './received-headers.ts'
import { expiredAt } from './refusal-reasons.ts'
import { decoy, matchSecret } from './secret-match.ts'
import { isSecret, type SignatureMismatch, signatureMismatch } from './signature-mismatch.ts'
import type { SignatureSettings } from './signature-settings.ts'
import { readVersionTwoQuery } from './version-two-claim.ts'

/** The refusal of Signature Version 2, which boto3 and aws-cli still presign with by default. */
export function versionFourNeeded(seen: string): S3Error {
  return new S3Error(
    'AccessDenied',
    `The request has ${seen} of Signature Version 2. Use Signature Version 4: in boto3, pass ` +
      "Config(signature_version='s3v4') to the client; for aws-cli, run " +
      '"aws configure set default.s3.signature_version s3v4".',
    { inAws: { code: 'InvalidRequest' } },
  )
}

/**
 * Verifies a presigned URL of Signature Version 2 and returns the credential that it is signed with
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/RESTAuthentication.html). Every x-amz-* header is signed. The
 * host is not.
 *
 * @throws S3Error AccessDenied.
 */
export function verifyVersionTwo(
  request: HttpRequest,
  { keys, publicUrl, hostBucket }: SignatureSettings,
  nowMs: number,
  onMismatch?: (details: SignatureMismatch) => void,
) {
  // "CanonicalizedResource": the bucket is signed with the path, wherever it is.
  const resource = hostBucket === undefined ? request.rawPath : `/${hostBucket}${request.rawPath}`
  const claim = readVersionTwoQuery(request, resource)
  const expiresAtMs = Number(claim.expires) * 1_000
  checkExpiryTime(expiresAtMs, nowMs, () => expiredAt(expiresAtMs))
  const known = keys.find(claim.accessKeyId)
  const credential = known ?? decoy
  const amzHeaders = signedAmzHeaders(request)
  const textOf = (path: string, isShown = false) =>
    [
      request.method,
      ...plainHeaders.map((name) => request.headers[name]?.toString().trim() ?? ''),
      claim.expires,
      ...amzHeaders.map(({ name, value }) => {
        return `${name}:${isShown && isSecret(name) ? '[redacted]' : value}`
      }),
      path + canonicalParameters(claim.parameters),
    ].join('\n')
  // As sent, and as AWS encodes it.
  const paths = [...new Set([resource, reencodedPath(resource)])]
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

/** In the order in which they are signed. */
const plainHeaders = ['content-md5', 'content-type'] as const

/** @throws S3Error AccessDenied if the service would use other values than those that are signed. */
function signedAmzHeaders({ headers, rawHeaders }: HttpRequest) {
  for (const name of plainHeaders) {
    if (!isRepeated(rawHeaders, name)) continue
    throw new S3Error('AccessDenied', `The signed header ${name} must be sent once.`)
  }
  const names = Object.keys(headers).filter((name) => name.startsWith('x-amz-'))
  const signed = signedHeaderValues(rawHeaders, names.sort(), withoutOuterSpace)
  checkRepeatedHeaders(headers, signed, withoutOuterSpace)
  return signed
}

/** The values are decoded, as AWS requires for response-*; one latin1 character per byte. */
function canonicalParameters(parameters: readonly (readonly [string, string])[]): string {
  const pairs = parameters.map(([name, value]) => {
    return `${name}=${Buffer.from(value).toString('latin1')}`
  })
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}
