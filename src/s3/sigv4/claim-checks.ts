import { timingSafeEqual } from 'node:crypto'
import type { HttpRequest } from '../../http/message.ts'
import { parseQuery } from '../address/query.ts'
import type { S3Settings } from '../context.ts'
import { S3Error } from '../errors.ts'
import { hoistedHeaders } from '../headers/hoisted-headers.ts'
import { parseAmzDate } from './amz-date.ts'
import { badExpiry, clocksDiffer, noExpiry, signedAhead, urlExpired } from './refusal-reasons.ts'
import type { SignatureClaim } from './signature-claim.ts'

const maxSkewMs = 15 * 60 * 1000 // docs/contract/object-storage.md, "Clock skew"
const maxExpiresSeconds = 604_800 // 7 days: docs/contract/object-storage.md, "Presigned expiry"

/** An access key may contain slashes. */
const maxCredentialParts = 32

/** Equal or not, in a time that does not depend on where they differ. */
export function isSameText(a: string, b: string): boolean {
  const bytesA = Buffer.from(a, 'latin1')
  const bytesB = Buffer.from(b, 'latin1')
  return bytesA.length === bytesB.length && timingSafeEqual(bytesA, bytesB)
}

/** The two parts of a credential. */
interface CheckedCredential {
  readonly accessKeyId: string
  /** `day/region/s3/aws4_request`. */
  readonly scope: string
}

/**
 * Checks the scope of the credential and returns its parts.
 *
 * @throws S3Error AccessDenied with the expected value.
 */
export function checkCredential(
  claim: SignatureClaim,
  settings: Pick<S3Settings, 'region'>,
): CheckedCredential {
  const expectedScope = `${claim.amzDate.slice(0, 8)}/${settings.region}/s3/aws4_request`
  if (claim.credential.endsWith(`/${expectedScope}`)) {
    const accessKeyId = claim.credential.slice(0, -expectedScope.length - 1)
    return { accessKeyId, scope: expectedScope }
  }
  const parts = claim.credential.split('/', maxCredentialParts + 1)
  const [region, service, terminator] = parts.slice(-3)
  if (
    parts.length < 5 ||
    parts.length > maxCredentialParts ||
    service !== 's3' ||
    terminator !== 'aws4_request'
  ) {
    throw new S3Error(
      'AccessDenied',
      'The credential is malformed; expected "ACCESS_KEY/YYYYMMDD/REGION/s3/aws4_request".',
    )
  }
  if (region !== settings.region) {
    // minio clients take the region to sign for from this element.
    const elements = { Region: settings.region }
    throw new S3Error(
      'AccessDenied',
      `The region of the credential is wrong; expected "${settings.region}".`,
      { elements },
    )
  }
  throw new S3Error(
    'AccessDenied',
    'The day of the credential differs from the day of x-amz-date (X-Amz-Date).',
  )
}

/**
 * Checks the time of signing: docs/contract/object-storage.md, "Presigned expiry" and "Clock skew".
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
  if (text === undefined) throw expired(noExpiry)
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (seconds < 1 || seconds > maxExpiresSeconds) throw expired(badExpiry)
  return seconds
}

function checkExpiry(signedAtMs: number, expires: number, nowMs: number): void {
  if (signedAtMs + expires * 1000 < nowMs) throw expired(urlExpired(signedAtMs, expires, nowMs))
  // A URL dated in the future would be valid beyond the 7 days. AWS refuses it too, except for
  // clock skew.
  if (signedAtMs - nowMs > maxSkewMs) {
    const reason = signedAhead(signedAtMs, nowMs)
    throw new S3Error('AccessDenied', 'Request is not yet valid', { reason })
  }
}

// The exact message of docs/contract/object-storage.md, "Presigned expiry".
function expired(reason: string): S3Error {
  return new S3Error('AccessDenied', 'Request has expired', { reason })
}

function checkSkew(signedAtMs: number, nowMs: number): void {
  if (Math.abs(nowMs - signedAtMs) <= maxSkewMs) return
  // SDKs correct their clock from the reply; the elements are AWS's.
  throw new S3Error('RequestTimeTooSkewed', undefined, {
    reason: clocksDiffer(signedAtMs, nowMs),
    elements: {
      RequestTime: new Date(signedAtMs).toISOString(),
      ServerTime: new Date(nowMs).toISOString(),
      MaxAllowedSkewMilliseconds: String(maxSkewMs),
    },
  })
}

// These grant nothing: headers for the body's integrity, which a signature does not cover here
// (docs/contract/object-storage.md, "Payload hash"), those whose values the string to sign
// contains, and those that CDNs add.
const mayStayUnsigned =
  /^x-amz-(?:checksum-.*|cf-id|content-sha256|date|decoded-content-length|sdk-checksum-algorithm|trailer|user-agent)$/

const maxNamesShown = 10

/**
 * Checks that host and every x-amz-* header that affects the request are signed, as AWS requires.
 * Otherwise the holder of a presigned PUT could add x-amz-copy-source and read any object. A header
 * that repeats a signed parameter adds nothing: Rails sends user metadata both ways.
 *
 * @throws S3Error AccessDenied naming the headers, at most ten; as hoistedHeaders.
 */
export function checkSignedHeaders(
  claim: SignatureClaim,
  { headers, rawQuery }: Pick<HttpRequest, 'headers' | 'rawQuery'>,
): void {
  const signed = new Set(claim.signedHeaders)
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
