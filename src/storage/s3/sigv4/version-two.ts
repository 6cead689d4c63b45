import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { HttpRequest } from '../../../platform/http/message.ts'
import { keptHeaders } from '../../drives/attributes.ts'
import { parseQuery, percentDecode } from '../address/query.ts'
import { quoted, S3Error } from '../errors.ts'
import { parseSigningTime } from '../headers/dates.ts'
import { headerFieldOf, withoutOuterSpace } from '../headers/request-fields.ts'
import { reencodedPath } from './canonical-request.ts'
import { checkExpiryTime, checkSkew } from './claim-checks.ts'
import { checkRepeatedHeaders, isRepeated, signedHeaderValues } from './received-headers.ts'
import { expiredAt } from './refusal-reasons.ts'
import { malformedClaim, type SignatureSettings } from './signature-claim.ts'
import { isSecret, type SignatureMismatch, signatureMismatch } from './signature-mismatch.ts'
import { decoy, matchSecret } from './signing-key.ts'

/** What a request claims about its Version 2 signature, in a header or URL. Not verified. */
interface VersionTwoClaim {
  readonly accessKeyId: string
  readonly signature: string
  /** For a URL: seconds since the epoch as sent, which are signed instead of the date. */
  readonly expires: string | undefined
  /** Signed parameters, decoded and sorted by name. */
  readonly parameters: readonly (readonly [name: string, value: string])[]
  /** The x-amz-* parameters of a URL, which are signed as header fields. */
  readonly fields: readonly (readonly [name: string, value: string])[]
}

const own = ['AWSAccessKeyId', 'Expires', 'Signature'] as const
/** Signed according to AWS's page, or by boto3, aws-sdk-js 2 or minio-go. */
const subresources =
  'acl accelerate analytics cors delete encryption inventory legal-hold lifecycle location logging metrics notification object-lock policy replication requestPayment restore retention select select-type tagging torrent uploadId uploads versioning versions website'
const ofObjects = ['partNumber', 'versionId']
const overrides: readonly string[] = keptHeaders.map((name) => `response-${name}`)
const signedNames = [...subresources.split(' '), ...ofObjects, ...overrides]
const signedParameters: ReadonlySet<string> = new Set(signedNames)

/** Not signed, as on AWS: they only select what a list shows. */
const ofLists: ReadonlySet<string> = new Set(
  'bucket-region continuation-token delimiter encoding-type fetch-owner key-marker list-type marker max-buckets max-keys max-parts max-uploads metadata part-number-marker prefix start-after upload-id-marker version-id-marker'.split(
    ' ',
  ),
)

/** Headers that aws-sdk-js 2 and boto3 repeat as parameters, which have no effect. */
const repeatedHeader = /^(?:cache-control|content-(?:disposition|encoding|language|md5|type))$/i
const amzField = /^x-amz-/i

/** Matches a value that looks like a value and another parameter in the string to sign. */
const hiddenParameter = new RegExp(`&(?:${signedNames.join('|')})(?:=|&|$)`)

const scheme = 'AWS '

/** Whether a request is signed with Version 2, in the Authorization header or else in the query. */
export function isVersionTwo({
  headers: { authorization },
  rawQuery,
}: Pick<HttpRequest, 'headers' | 'rawQuery'>): boolean {
  if (authorization !== undefined) return authorization.startsWith(scheme)
  return rawQuery.split('&').some((pair) => pair.startsWith('AWSAccessKeyId='))
}

/**
 * Reads the Authorization header or the presigned URL
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/RESTAuthentication.html). Version 2 leaves most parameters
 * unsigned, so the holder of a URL could change its effect. A parameter is accepted only if it is signed, selects what a
 * list shows or has no effect, and only once and in one spelling.
 *
 * @throws S3Error AccessDenied for any other parameter or without a signature; InvalidURI for a broken escape;
 *   as `headerFieldOf`.
 */
function readVersionTwo({ method, rawQuery, headers }: HttpRequest): VersionTwoClaim {
  const { authorization } = headers
  const raw = readRaw(rawQuery)
  const query = parseQuery(rawQuery)
  const isOfUrl = (name: string) =>
    own.some((one) => one === name) || repeatedHeader.test(name) || amzField.test(name)
  const isKnown = (name: string) =>
    signedParameters.has(name) ||
    ofLists.has(name) ||
    (authorization === undefined && isOfUrl(name))
  const unsigned = [...raw.keys()].find((name) => !isKnown(name))
  if (unsigned !== undefined) throw refused(`it does not sign the parameter ${quoted(unsigned)}`)
  const parameters = [...query].filter(([name]) => signedParameters.has(name)).sort(byName)
  refuseOtherMeanings(method, parameters)
  const fields = [...query].filter(([name]) => amzField.test(name))
  const signer = authorization === undefined ? signerInQuery(raw) : signerInHeader(authorization)
  return { ...signer, parameters, fields: fields.map((field) => headerFieldOf(...field)) }
}

function signerInHeader(authorization: string) {
  const text = authorization.slice(scheme.length).trim()
  const colon = text.lastIndexOf(':')
  if (colon > 0 && colon < text.length - 1) {
    const accessKeyId = text.slice(0, colon)
    return { accessKeyId, signature: text.slice(colon + 1), expires: undefined }
  }
  throw malformedClaim(
    'header',
    'The Authorization header is malformed; expected "AWS ACCESS_KEY:SIGNATURE".',
    { inAws: { code: 'InvalidArgument' } },
  )
}

function signerInQuery(raw: ReadonlyMap<string, string>) {
  const [accessKeyId, expires, signature] = own.map((name) => percentDecode(raw.get(name) ?? ''))
  if (!accessKeyId || !signature || !expires || !/^\d{1,11}$/.test(raw.get('Expires') ?? '')) {
    throw refused('it needs AWSAccessKeyId, Signature, and Expires in seconds since 1970')
  }
  return { accessKeyId, signature, expires }
}

/** The values by name, both as sent. */
function readRaw(rawQuery: string): ReadonlyMap<string, string> {
  const raw = new Map<string, string>()
  for (const pair of rawQuery === '' ? [] : rawQuery.split('&')) {
    const [name = '', value = ''] = splitOnce(pair)
    if (raw.has(name)) throw refused(`the query has ${quoted(name)} more than once`)
    raw.set(name, value)
  }
  return raw
}

/** The string to sign joins decoded values by `&`, so a value that contains a parameter is refused. */
function refuseOtherMeanings(method: string, parameters: VersionTwoClaim['parameters']): void {
  const overridden = parameters.find(([name]) => overrides.includes(name))?.[0]
  const isRead = method === 'GET' || method === 'HEAD'
  const isPlain = parameters.every(([name]) => [...overrides, ...ofObjects].includes(name))
  if (overridden !== undefined && !(isRead && isPlain)) {
    throw refused(`${overridden} belongs to a GET or HEAD of an object`)
  }
  for (const [name, value] of parameters) {
    if (hiddenParameter.test(value)) throw refused(`the value of ${name} contains a parameter`)
  }
}

function splitOnce(pair: string): readonly string[] {
  const equals = pair.indexOf('=')
  return equals < 0 ? [pair] : [pair.slice(0, equals), pair.slice(equals + 1)]
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1
}

function refused(why: string): S3Error {
  return new S3Error(
    'AccessDenied',
    `The request with Signature Version 2 is refused: ${why}. Sign with Version 4.`,
  )
}

/** The refusal of Version 2, the default of old clients, and of boto3 and aws-cli for presigned URLs. */
export function versionFourNeeded(seen: string): S3Error {
  return new S3Error(
    'AccessDenied',
    `The request has ${seen} of Signature Version 2. Set the client to Signature Version 4, which clients call v4, ` +
      's3v4 or AWS4-HMAC-SHA256, or the gateway to COMPATIBILITY=aws.',
    { inAws: { code: 'InvalidRequest' } },
  )
}

/**
 * Verifies a Version 2 signature in an Authorization header or a presigned URL, and returns the credential that made it
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/RESTAuthentication.html). It covers every x-amz-* header, but
 * not the host.
 *
 * @throws S3Error AccessDenied; as `readVersionTwo`; RequestTimeTooSkewed for a wrong clock.
 */
export function verifyVersionTwo(
  request: HttpRequest,
  { keys, publicUrl, hostBucket }: SignatureSettings,
  nowMs: number,
  onMismatch?: (details: SignatureMismatch) => void,
) {
  // "CanonicalizedResource": the bucket is signed as part of the path, even if the host names it.
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
  // As sent, as AWS encodes it, and with boto3's slash after a bucket.
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

/** The line of the date in the string to sign. @throws S3Error if the time is not valid now */
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
  // AWS does not accept a time before 1970 as a date.
  if (signedAtMs === undefined || signedAtMs < 0) {
    throw new S3Error('AccessDenied', 'A valid Date or x-amz-date header is required.')
  }
  checkSkew(signedAtMs, nowMs)
  return amzDate === undefined ? date : ''
}

/** In the order of the string to sign. */
const plainHeaders = ['content-md5', 'content-type'] as const

/** @throws S3Error AccessDenied if the service would use other values than the signed ones */
function signedAmzHeaders({ headers, rawHeaders }: HttpRequest, { fields }: VersionTwoClaim) {
  for (const name of plainHeaders) {
    if (!isRepeated(rawHeaders, name)) continue
    throw new S3Error('AccessDenied', `The signed header ${name} must be sent once.`)
  }
  const names = Object.keys(headers).filter((name) => name.startsWith('x-amz-'))
  const signed = signedHeaderValues({ headers, rawHeaders }, new Set(names), withoutOuterSpace)
  checkRepeatedHeaders(headers, signed, withoutOuterSpace)
  // addHoistedHeaders refuses a header whose parameter has another value.
  const added = fields.filter(([name]) => headers[name] === undefined)
  return [...signed, ...added.map(([name, value]) => ({ name, value }))].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )
}

/** Values are decoded, as AWS requires for response-*, to one latin1 character per byte. Empty values are omitted. */
function canonicalParameters({ parameters }: VersionTwoClaim): string {
  const pairs = parameters.map(([name, value]) => {
    return value === '' ? name : `${name}=${Buffer.from(value).toString('latin1')}`
  })
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}
