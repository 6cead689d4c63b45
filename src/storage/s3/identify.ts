import type { HttpRequest } from '../../platform/http/message.ts'
import { owner } from '../access/authorize.ts'
import type { RequestLimit } from '../access/request-rate.ts'
import { bucketOfHost } from './address/address.ts'
import type { S3Service } from './context.ts'
import { quoted, S3Error } from './errors.ts'
import { authenticateForm } from './form/form-signature.ts'
import type { Form } from './form/read-form.ts'
import {
  type Authentication,
  accepted,
  authenticate,
  refuseTwoSignatures,
} from './sigv4/authenticate.ts'
import { otherAuthorization } from './sigv4/authorization-header.ts'
import type { SignatureMismatch } from './sigv4/signature-mismatch.ts'

/**
 * On whose behalf a request is made. Not async: for a small reply, each promise costs a noticeable part of
 * the total time.
 *
 * @throws S3Error as `authenticate`; ServiceUnavailable when the database has not confirmed an access key for too
 *   long; SlowDown beyond the limit of a key.
 */
export function identify(
  request: HttpRequest,
  service: S3Service,
  rate: RequestLimit,
): Authentication | Promise<Authentication> {
  if (mayHaveSession(request, service)) return identifySession(request, service)
  const parts = signatureParts(request, service)
  return confirmed(() => authenticate(request, ...parts()), service, rate)
}

/** The dashboard is not served at the host of a bucket, so no page there has a session. */
function mayHaveSession({ headers }: HttpRequest, { hasSession, settings }: S3Service): boolean {
  if (hasSession === undefined || headers.authorization === undefined) return false
  return (
    /^bearer /i.test(headers.authorization) && bucketOfHost(headers.host, settings) === undefined
  )
}

/**
 * A session of the dashboard has the owner's rights (docs/decisions/0057-session-for-s3.md). The session is looked up for
 * each request, so a sign-out takes effect in all processes at once.
 *
 * @throws S3Error AccessDenied without a valid session.
 */
async function identifySession(
  request: HttpRequest,
  { hasSession }: S3Service,
): Promise<Authentication> {
  refuseTwoSignatures(request)
  if (await hasSession?.(request)) return { form: 'session', identity: owner }
  throw new S3Error('AccessDenied', 'The session does not exist or has expired. Sign in again.', {
    // RFC 6750 section 3.1. The dashboard recognizes it, also in the reply to a HEAD.
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    inAws: { code: 'AccessDenied', ...otherAuthorization(request.headers.authorization ?? '') },
  })
}

/**
 * As `identify`, for a request that the gateway makes itself on behalf of an access key: it is not signed and does not
 * count toward the limit of the key.
 *
 * @throws S3Error AccessDenied if the key does not exist or is not valid now; ServiceUnavailable as `identify`.
 */
export function identifyKey(
  accessKeyId: string,
  service: S3Service,
): Authentication | Promise<Authentication> {
  const check = () => {
    const credential = service.keys.find(accessKeyId)
    if (credential === undefined) throw new S3Error('AccessDenied')
    return accepted('internal', credential)
  }
  return confirmed(check, service, { take: () => 0 })
}

/** As `identify`, by the signature of a form. */
export async function identifyForm(
  { fields }: Form,
  request: HttpRequest,
  service: S3Service,
  rate: RequestLimit,
): Promise<Authentication> {
  const parts = signatureParts(request, service)
  return await confirmed(() => authenticateForm(fields, request, ...parts()), service, rate)
}

function confirmed(
  check: () => Authentication,
  service: S3Service,
  rate: RequestLimit,
): Authentication | Promise<Authentication> {
  const authentication = check()
  if (authentication.identity.kind !== 'key') return authentication
  const confirming = service.keys.ensureCurrent()
  if (confirming === undefined) return admitted(authentication, service, rate)
  return confirming.then((isConfirmed) => {
    if (!isConfirmed) throw unconfirmed()
    return admitted(check(), service, rate)
  })
}

/** What a signature is checked with at this moment. */
function signatureParts(request: HttpRequest, service: S3Service) {
  const { settings, compatibility, keys, now, log } = service
  const onMismatch = log.isLevelEnabled('debug')
    ? (details: SignatureMismatch) =>
        log.debug({ requestId: request.id, ...details }, 'signature does not match')
    : undefined
  const { region, regions } = settings
  const hostBucket = bucketOfHost(request.headers.host, settings)
  // The host names the bucket: a signature for another host is one for another bucket.
  const publicUrl = hostBucket === undefined ? settings.publicUrl : undefined
  const { dateHeaders, versionTwo, signedBodies } = compatibility
  const inMode = { dateHeaders, versionTwo, signedBodies }
  const checked = { keys, region, regions, publicUrl, hostBucket, ...inMode }
  return () => [checked, now(), onMismatch] as const
}

function admitted(
  authentication: Authentication,
  { keys }: S3Service,
  rate: RequestLimit,
): Authentication {
  const { identity } = authentication
  if (identity.kind !== 'key') return authentication
  keys.noteUse(identity.accessKeyId)
  const waitSeconds = rate.take(identity)
  if (waitSeconds === 0) return authentication
  throw new S3Error('SlowDown', 'This access key has reached its limit of requests per second.', {
    headers: { 'Retry-After': String(Math.ceil(waitSeconds)) },
    reason: `The access key ${quoted(identity.name)} has reached its limit of ${identity.limits.requestsPerSecond} requests per second.`,
  })
}

function unconfirmed(): S3Error {
  return new S3Error('ServiceUnavailable', 'Access keys cannot be checked now. Try again later.', {
    headers: { 'Retry-After': '5' },
    reason:
      'The database has not answered for a minute, so access keys made at run time are refused. ACCESS_KEY is valid.',
  })
}
