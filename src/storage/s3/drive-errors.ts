import { type DriveError, type DriveErrorKind, PrivateDriveError } from '../drives/drive-error.ts'
import { S3Error, type S3ErrorCode } from './errors.ts'

const unavailableSeconds = 5

/**
 * The S3 error for each kind of drive failure. A full drive is a 4xx: AWS clients retry 5xx, which
 * does not free space (and S3 clients do not know 507).
 */
const answers: Readonly<
  Record<DriveErrorKind, { readonly code: S3ErrorCode; readonly retryAfterSeconds?: number }>
> = {
  busy: { code: 'SlowDown', retryAfterSeconds: 1 },
  changed: { code: 'SlowDown', retryAfterSeconds: 1 },
  condition: { code: 'PreconditionFailed' },
  denied: { code: 'AccessDenied' },
  full: { code: 'QuotaExceeded' },
  'invalid-key': { code: 'InvalidArgument' },
  'key-too-long': { code: 'KeyTooLongError' },
  // Of a bucket that is still served: its folder was moved away. An operator must act (handler.ts has the rest).
  'no-bucket': { code: 'ServiceUnavailable', retryAfterSeconds: unavailableSeconds },
  'not-empty': { code: 'BucketNotEmpty' },
  'not-found': { code: 'NoSuchKey' },
  'not-implemented': { code: 'NotImplemented' },
  'part-too-small': { code: 'EntityTooSmall' },
  // Of a part of S3 that this drive does not have.
  unsupported: { code: 'InvalidRequest' },
  'upload-gone': { code: 'NoSuchUpload' },
  unavailable: { code: 'ServiceUnavailable', retryAfterSeconds: unavailableSeconds },
}

/** Kinds that get S3's standard message. For the others, the drive's own message says more. */
const standardMessages: ReadonlySet<DriveErrorKind> = new Set(['condition', 'not-found'])

/** In place of a message that is for the owner alone. Other kinds get S3's standard message. */
const messages: Readonly<Partial<Record<DriveErrorKind, string>>> = {
  denied: 'The drive refuses the request. The log of the service says why.',
  'invalid-key': 'The drive does not accept this key.',
  unavailable: 'The drive is not available. Try again later.',
  unsupported: 'The drive cannot do this. The log of the service says why.',
}

/** What is asked depends on attributes that can't be read now (Attributes.isProvisional). */
export function unknownAttributes(): S3Error {
  const message = 'The database with the ETags and parts of objects is not responding.'
  return new S3Error('ServiceUnavailable', message, {
    headers: { 'Retry-After': String(unavailableSeconds) },
  })
}

export function s3ErrorOfDrive(error: DriveError): S3Error {
  const { code, retryAfterSeconds } = answers[error.kind]
  const retryAfter = error.retryAfterSeconds ?? retryAfterSeconds
  const isPrivate = error instanceof PrivateDriveError
  const isOwn = !isPrivate && !standardMessages.has(error.kind)
  return new S3Error(code, isOwn ? error.message : messages[error.kind], {
    cause: error,
    ...(isPrivate && { reason: error.message }),
    ...(retryAfter === undefined ? {} : { headers: { 'Retry-After': String(retryAfter) } }),
  })
}
