import type { HttpRequest } from '../../../platform/http/message.ts'
import { parseQuery } from '../address/query.ts'
import { everyRegion, isAllowedRegion, signedRegionName } from '../address/region.ts'
import type { S3Settings } from '../context.ts'
import { quoted, S3Error, shortened } from '../errors.ts'
import { parseAmzDate } from '../headers/dates.ts'
import { hoistedHeaders } from '../headers/request-fields.ts'
import { badExpiry, clocksDiffer, noExpiry, signedAhead, urlExpired } from './refusal-reasons.ts'
import { malformedClaim, malformedCodes, type SignatureClaim } from './signature-claim.ts'

const maxSkewMs = 15 * 60 * 1000 // docs/contract/object-storage.md, "Clock skew"
const maxExpiresSeconds = 604_800 // 7 days: docs/contract/object-storage.md, "Presigned expiry"

/** More than five, because an access key may contain slashes. */
const maxCredentialParts = 32

/** The parts of a credential. */
interface CheckedCredential {
  readonly accessKeyId: string
  /** `day/region/s3/aws4_request`. */
  readonly scope: string
  readonly region: string
}

/** The last credential that was checked: a client sends the same one all day. */
let last:
  | { readonly credential: string; readonly day: string; readonly checked: CheckedCredential }
  | undefined

/**
 * Checks the scope of the credential and returns its parts.
 *
 * @throws S3Error AccessDenied with the expected value.
 */
export function checkCredential(
  claim: SignatureClaim,
  settings: Pick<S3Settings, 'region' | 'regions'>,
): CheckedCredential {
  const { credential } = claim
  const { region: ownRegion } = settings
  const day = claim.amzDate.slice(0, 8)
  if (last?.credential === credential && last.day === day && last.checked.region === ownRegion)
    return last.checked
  const usualScope = `${day}/${ownRegion}/s3/aws4_request`
  if (credential.endsWith(`/${usualScope}`)) {
    const accessKeyId = credential.slice(0, -usualScope.length - 1)
    const checked = { accessKeyId, scope: usualScope, region: ownRegion }
    last = { credential, day, checked }
    return checked
  }
  const parts = credential.split('/', maxCredentialParts + 1)
  const [signedDay, region = '', service, terminator] = parts.slice(-4)
  if (
    parts.length < 5 ||
    parts.length > maxCredentialParts ||
    service !== 's3' ||
    terminator !== 'aws4_request'
  ) {
    throw malformedClaim(
      claim.form,
      'The credential is malformed; expected "ACCESS_KEY/YYYYMMDD/REGION/s3/aws4_request".',
    )
  }
  if (!isAllowedRegion(region, settings, signedRegionName))
    throw wrongRegion(claim, region, settings)
  if (signedDay === day) {
    const scope = `${day}/${region}/s3/aws4_request`
    return { accessKeyId: parts.slice(0, -4).join('/'), scope, region }
  }
  throw malformedClaim(
    claim.form,
    'The day of the credential differs from the day of x-amz-date (X-Amz-Date).',
  )
}

/** minio clients read the region to sign for from the element, other clients from the header. */
function wrongRegion(
  { form }: SignatureClaim,
  signed: string,
  { region, regions }: Pick<S3Settings, 'region' | 'regions'>,
): S3Error {
  const allowed = new Set([region, ...regions.filter((other) => other !== everyRegion)])
  const elements = { Region: region }
  const what =
    form === 'header'
      ? 'The authorization header is malformed'
      : 'Error parsing the X-Amz-Credential parameter'
  const expected = `expected "${[...allowed].join('" or "')}"`
  const message = `The region of the credential is wrong; ${expected}.`
  return new S3Error('AccessDenied', message, {
    elements,
    inAws: {
      code: malformedCodes[form],
      message: `${what}; the region '${shortened(signed)}' is wrong; expecting '${region}'`,
      headers: { 'x-amz-bucket-region': region },
    },
    reason: `The client signs for the region ${quoted(signed)}; ${expected}. Set the client's region, or REGIONS.`,
  })
}

/**
 * Checks when the request was signed: docs/contract/object-storage.md, "Presigned expiry" and "Clock skew".
 *
 * @throws S3Error AccessDenied or RequestTimeTooSkewed.
 */
export function checkTime(claim: SignatureClaim, nowMs: number): void {
  const expires = claim.form === 'presigned' ? expiresSeconds(claim.expires) : undefined
  const signedAtMs = parseAmzDate(claim.amzDate)
  if (signedAtMs === undefined) {
    throw new S3Error(
      'AccessDenied',
      'A valid x-amz-date (X-Amz-Date) is required, in the form YYYYMMDDThhmmssZ.',
    )
  }
  if (expires === undefined) checkSkew(signedAtMs, nowMs)
  else checkExpiry(signedAtMs, expires, nowMs)
}

function expiresSeconds(text: string | undefined): number {
  if (text === undefined) throw wrongExpiry(noExpiry)
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (seconds < 1 || seconds > maxExpiresSeconds) throw wrongExpiry(badExpiry)
  return seconds
}

function checkExpiry(signedAtMs: number, expires: number, nowMs: number): void {
  checkExpiryTime(signedAtMs + expires * 1000, nowMs, () => urlExpired(signedAtMs, expires, nowMs))
  // A URL dated in the future would be valid beyond 7 days. Apart from clock skew, AWS also refuses it.
  if (signedAtMs - nowMs > maxSkewMs) {
    const reason = signedAhead(signedAtMs, nowMs)
    throw new S3Error('AccessDenied', 'Request is not yet valid', { reason })
  }
}

/** The exact message of docs/contract/object-storage.md, "Presigned expiry". */
const expired = 'Request has expired'

/** @throws S3Error AccessDenied after that time */
export function checkExpiryTime(expiresAtMs: number, nowMs: number, reason: () => string): void {
  if (expiresAtMs >= nowMs) return
  throw new S3Error('AccessDenied', expired, {
    reason: reason(),
    inAws: {
      code: 'AccessDenied',
      elements: {
        Expires: new Date(expiresAtMs).toISOString(),
        ServerTime: new Date(nowMs).toISOString(),
      },
    },
  })
}

function wrongExpiry(reason: string): S3Error {
  return malformedClaim('presigned', expired, { reason, inAws: { message: reason } })
}

/** @throws S3Error RequestTimeTooSkewed if the clocks differ by more than 15 minutes. */
export function checkSkew(signedAtMs: number, nowMs: number): void {
  if (Math.abs(nowMs - signedAtMs) <= maxSkewMs) return
  // SDKs correct their clock by the reply. The elements are AWS's.
  throw new S3Error('RequestTimeTooSkewed', undefined, {
    reason: clocksDiffer(signedAtMs, nowMs),
    elements: {
      RequestTime: new Date(signedAtMs).toISOString(),
      ServerTime: new Date(nowMs).toISOString(),
      MaxAllowedSkewMilliseconds: String(maxSkewMs),
    },
  })
}

// Headers that grant nothing: those for the integrity of the body, which a signature does not cover here
// (docs/contract/object-storage.md, "Payload hash"), those whose values are in the string to sign, and those that CDNs
// add.
const mayStayUnsigned =
  /^x-amz-(?:checksum-.*|cf-id|content-sha256|date|decoded-content-length|sdk-checksum-algorithm|trailer|user-agent)$/

const maxNamesShown = 10

/**
 * Checks that host and every x-amz-* header that affects the request are signed, as AWS requires. Otherwise the holder
 * of a presigned PUT could add x-amz-copy-source and read any object. A header that repeats a signed parameter is
 * harmless: Rails sends user metadata both ways.
 *
 * @throws S3Error AccessDenied, which names up to ten headers; as hoistedHeaders
 */
export function checkSignedHeaders(
  claim: SignatureClaim,
  { headers, rawQuery }: Pick<HttpRequest, 'headers' | 'rawQuery'>,
): void {
  const { signedHeaders: signed } = claim
  const missing = signed.has('host') ? [] : ['host']
  let inQuery: ReadonlyMap<string, string> | undefined
  for (const name in headers) {
    if (!name.startsWith('x-amz-') || signed.has(name) || mayStayUnsigned.test(name)) continue
    if (claim.form === 'presigned') {
      inQuery ??= new Map(hoistedHeaders(parseQuery(rawQuery)))
      if (inQuery.get(name) === headers[name]) continue
    }
    missing.push(name)
    if (missing.length === maxNamesShown) break
  }
  if (missing.length === 0) return
  const names = missing.join(', ')
  throw new S3Error(
    'AccessDenied',
    `There were headers present in the request which were not signed: ${names}`,
    { elements: { HeadersNotSigned: names } },
  )
}
