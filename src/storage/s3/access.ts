import type { HttpRequest } from '../../platform/http/message.ts'
import { canSeeBucket, type Identity, isAuthorized, owner } from '../access/authorize.ts'
import type { RequestLimit } from '../access/request-rate.ts'
import type { BucketConfiguration } from '../buckets/buckets.ts'
import { DriveError } from '../drives/drive-error.ts'
import {
  concernsVersions,
  hasPolicyInForce,
  isOpenByPolicy,
} from './configuration/public-access.ts'
import type { Access, BucketContext, NewBucketContext, S3Service } from './context.ts'
import { absentBucket, noSuchBucket, quoted, S3Error } from './errors.ts'
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

/** A request whose sender is to be identified. */
interface ReceivedRequest {
  readonly service: S3Service
  readonly request: HttpRequest
  readonly rate: RequestLimit
  /** The bucket that the host name contains, if any. */
  readonly hostBucket?: string | undefined
}

/**
 * Authenticates a request. Not async: for a small reply, each promise costs a noticeable part of the total time.
 *
 * @throws S3Error as `authenticate`; ServiceUnavailable if the database has not confirmed an access key for too
 *   long; SlowDown above the rate limit of a key.
 */
export function identify(received: ReceivedRequest): Authentication | Promise<Authentication> {
  if (mayHaveSession(received)) return identifySession(received)
  const parts = signatureParts(received)
  return confirmed(() => authenticate(received.request, ...parts()), received)
}

/** The dashboard is not served at the host of a bucket, so no page there has a session. */
function mayHaveSession({ request, service, hostBucket }: ReceivedRequest): boolean {
  const { authorization } = request.headers
  if (service.hasSession === undefined || authorization === undefined) return false
  return /^bearer /i.test(authorization) && hostBucket === undefined
}

/**
 * A session of the dashboard has the owner's rights (docs/decisions/0057-session-for-s3.md). The session is looked up
 * for each request, so a sign-out takes effect in all processes at once.
 *
 * @throws S3Error AccessDenied without a valid session.
 */
async function identifySession({ request, service }: ReceivedRequest): Promise<Authentication> {
  refuseTwoSignatures(request)
  if (await service.hasSession?.(request)) return { form: 'session', identity: owner }
  throw new S3Error('AccessDenied', 'The session does not exist or has expired. Sign in again.', {
    // RFC 6750 section 3.1. The dashboard recognizes this header, even in the reply to a HEAD.
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
  return confirmed(check, { service, rate: { take: () => 0 } })
}

/** Authenticates a form by its signature. @throws as `identify` */
export async function identifyForm(
  { fields }: Form,
  received: ReceivedRequest,
): Promise<Authentication> {
  const parts = signatureParts(received)
  return await confirmed(() => authenticateForm(fields, received.request, ...parts()), received)
}

function confirmed(
  check: () => Authentication,
  received: Pick<ReceivedRequest, 'service' | 'rate'>,
): Authentication | Promise<Authentication> {
  const authentication = check()
  if (authentication.identity.kind !== 'key') return authentication
  const confirming = received.service.keys.ensureCurrent()
  if (confirming === undefined) return admitted(authentication, received)
  return confirming.then((isConfirmed) => {
    if (!isConfirmed) throw unconfirmed()
    return admitted(check(), received)
  })
}

/** Returns a function that returns the current arguments for a signature check. */
function signatureParts({ request, service, hostBucket }: ReceivedRequest) {
  const { settings, compatibility, keys, now, log } = service
  const onMismatch = log.isLevelEnabled('debug')
    ? (details: SignatureMismatch) =>
        log.debug({ requestId: request.id, ...details }, 'signature does not match')
    : undefined
  const { region, regions } = settings
  // If the host names the bucket, a signature for another host is a signature for another bucket.
  const publicUrl = hostBucket === undefined ? settings.publicUrl : undefined
  const { dateHeaders, versionTwo, signedBodies } = compatibility
  const inMode = { dateHeaders, versionTwo, signedBodies }
  const checked = { keys, region, regions, publicUrl, hostBucket, ...inMode }
  return () => [checked, now(), onMismatch] as const
}

function admitted(
  authentication: Authentication,
  { service: { keys }, rate }: Pick<ReceivedRequest, 'service' | 'rate'>,
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
  return new S3Error(
    'ServiceUnavailable',
    'Access keys cannot be checked at the moment. Try again later.',
    {
      headers: { 'Retry-After': '5' },
      reason:
        'The database has not answered for a minute, so access keys created at run time are refused. ' +
        'ACCESS_KEY still works.',
    },
  )
}

/**
 * Returns the configuration of a bucket that is served.
 *
 * @throws S3Error AccessDenied for any other bucket, and for a bucket that the access key has no grant for; for the
 *   former, AWS answers NoSuchBucket (docs/contract/object-storage.md, "Error codes").
 */
export function visibleBucket(
  { buckets }: Pick<S3Service, 'buckets'>,
  identity: Identity,
  bucket: string,
): BucketConfiguration {
  const configuration = buckets.find(bucket)
  if (configuration === undefined) throw notServed(bucket)
  const isOpen = configuration.isPublic || hasPolicyInForce(configuration)
  if (isOpen || identity.kind !== 'key' || canSeeBucket(identity, bucket)) return configuration
  throw new S3Error('AccessDenied', notAllowed(bucket), {
    reason: `The access key has no grant for the bucket ${quoted(bucket)}.`,
  })
}

/** With COMPATIBILITY=aws everyone gets NoSuchBucket, so strangers can find out which buckets exist. */
function notServed(bucket: string): S3Error {
  return new S3Error('AccessDenied', notAllowed(bucket), {
    reason: `ALLOWED_BUCKETS does not list the bucket ${quoted(bucket)}.`,
    inAws: absentBucket(bucket),
  })
}

function notAllowed(bucket: string): string {
  return `Access to the bucket ${quoted(bucket)} is not allowed.`
}

/**
 * Returns why the request is allowed: `create` if the key may create an object but not replace one, `policy` if only the
 * bucket policy allows it.
 *
 * @param key for `list`, the prefix.
 * @throws S3Error AccessDenied
 */
export function authorize(
  { action, policy, public: openTo, ofVersions }: Access,
  context: NewBucketContext,
  key: string,
): 'right' | 'create' | 'policy' {
  const { identity, bucket, configuration, service, query } = context
  const hasVersion = query.has('versionId')
  const request = { policy, key, prefix: query.get('prefix'), hasVersion }
  const isOfVersion = concernsVersions(configuration, ofVersions ?? hasVersion)
  const isPublic =
    configuration?.isPublic === true &&
    (openTo === 'read' || (openTo === 'list' && service.settings.publicList))
  const wanted = { bucket, key, isPublic, isOfVersion }
  if (isAuthorized(identity, { ...wanted, action })) {
    const mayReplace = action !== 'create' || isAuthorized(identity, { ...wanted, action: 'write' })
    return mayReplace ? 'right' : 'create'
  }
  if (configuration !== undefined && isOpenByPolicy(configuration, request)) return 'policy'
  if (identity.kind === 'key') {
    const missing = `no grant to ${action} ${isOfVersion ? 'a version of ' : ''}`
    const message = `Access Denied: this access key does not allow the request. It has ${missing}this key or bucket.`
    const reason = `The access key ${quoted(identity.name)} has ${missing}${quoted(`${bucket}/${key}`)}.`
    throw new S3Error('AccessDenied', message, { reason })
  }
  if (openTo !== 'list' || !configuration?.isPublic) throw unsignedRefusal()
  throw new S3Error('AccessDenied', 'Access Denied: listing this bucket requires a signed request.')
}

export function unsignedRefusal(): S3Error {
  return new S3Error(
    'AccessDenied',
    'Access Denied: this request must be signed (AWS4-HMAC-SHA256).',
  )
}

/**
 * Whether the sender may learn from 404 that the key does not exist, which requires the permission to list it (API
 * reference, GetObject, "Permissions").
 */
export function mayLearnOfAbsence(
  { identity, bucket, configuration }: BucketContext,
  key: string,
): boolean {
  const list = { policy: 's3:ListBucket', key: '', prefix: undefined, hasVersion: false } as const
  const isPublic = isOpenByPolicy(configuration, list)
  return isAuthorized(identity, { action: 'list', bucket, key, isPublic })
}

const absences: ReadonlySet<string> = new Set(['NoSuchKey', 'NoSuchVersion'])

export function hideAbsence(error: unknown): never {
  if (!(error instanceof S3Error) || !absences.has(error.code)) throw error
  throw new S3Error('AccessDenied', undefined, {
    cause: error,
    reason:
      'The object does not exist. The policy of the bucket does not allow s3:ListBucket, so the reply ' +
      'does not reveal it.',
  })
}

/**
 * If the bucket was removed while the request ran, returns the error that a later request gets. Other errors are
 * returned unchanged, including the error for a bucket whose folder was only moved away.
 */
export async function afterRemoval(
  error: unknown,
  bucket: string | undefined,
  { buckets, bucketCreation, cached }: S3Service,
): Promise<unknown> {
  if (!(error instanceof DriveError) || error.kind !== 'no-bucket') return error
  if (bucket === undefined || cached === undefined) return error
  await cached.lookAgain()
  const configuration = buckets.find(bucket)
  if (configuration !== undefined && !configuration.isBeingRemoved) return error
  return bucketCreation === 'on' ? noSuchBucket(bucket) : notServed(bucket)
}
