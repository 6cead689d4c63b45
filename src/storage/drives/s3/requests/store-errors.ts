import { DriveError, type DriveErrorKind, PrivateDriveError } from '../../drive-error.ts'

/** What the SDK throws: an error document of the store, or a failure of the connection. */
interface SdkError extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number }
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> }
}

/** By the store's code (API reference, "Error responses"; MinIO, Ceph and Garage have some of their own). */
const kindsByCode: Readonly<Record<string, DriveErrorKind>> = {
  NoSuchBucket: 'no-bucket',
  NoSuchKey: 'not-found',
  NoSuchUpload: 'upload-gone',
  InvalidPart: 'upload-gone',
  InvalidPartOrder: 'upload-gone',
  EntityTooSmall: 'part-too-small',
  PreconditionFailed: 'condition',
  // Another write was in progress.
  ConditionalRequestConflict: 'busy',
  OperationAborted: 'busy',
  BucketNotEmpty: 'not-empty',
  KeyTooLongError: 'key-too-long',
  // Stores that keep objects as files: an object at `a` leaves no room for `a/b`.
  ObjectParentIsFile: 'invalid-key',
  ExistingObjectIsDirectory: 'invalid-key',
  ExistingObjectIsFile: 'invalid-key',
  DirectoryObjectContainsData: 'invalid-key',
  XMinioInvalidObjectName: 'invalid-key',
  XMinioInvalidResourceName: 'invalid-key',
  NotImplemented: 'not-implemented',
  QuotaExceeded: 'full',
  XMinioStorageFull: 'full',
  InsufficientCapacity: 'full',
  SlowDown: 'busy',
  TooManyRequests: 'busy',
  RequestLimitExceeded: 'busy',
  Throttling: 'busy',
  RequestTimeTooSkewed: 'unavailable',
  // Bytes were lost or changed on their way to the store.
  RequestTimeout: 'unavailable',
  IncompleteBody: 'unavailable',
  BadDigest: 'unavailable',
  XAmzContentSHA256Mismatch: 'unavailable',
  // What an operator must correct, with status 400.
  AuthorizationHeaderMalformed: 'denied',
  ExpiredToken: 'denied',
  InvalidToken: 'denied',
  // In an archive (API reference, RestoreObject).
  InvalidObjectState: 'unsupported',
  // Also in a reply with status 200, for which the SDK says 503.
  InternalError: 'unavailable',
}

const kindsByStatus: Readonly<Record<number, DriveErrorKind>> = {
  ...{ 301: 'denied', 307: 'denied', 308: 'denied' },
  ...{ 401: 'denied', 403: 'denied', 404: 'not-found', 412: 'condition' },
  ...{ 429: 'busy', 501: 'not-implemented', 503: 'busy', 507: 'full' },
}

/** What an operator should do, by the store's code. */
const hints: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'Check S3_DRIVE_ACCESS_KEY.',
  SignatureDoesNotMatch: 'Check S3_DRIVE_SECRET_KEY and S3_DRIVE_REGION.',
  AuthorizationHeaderMalformed: 'Check S3_DRIVE_REGION.',
  ExpiredToken: 'Renew the credentials of the session.',
  InvalidToken: 'Check the credentials of the session.',
  PermanentRedirect: 'Write the address of the region of the bucket in DRIVE.',
  AccessDenied: 'The access key lacks a right (docs/s3-drive.md, "Rights").',
  RequestTimeTooSkewed: "Set this machine's clock.",
  NoSuchBucket: 'Create the bucket, or correct DRIVE.',
}

/** The error of a call, for people. An error that is a DriveError already stays. */
export function storeError(error: unknown): DriveError {
  if (error instanceof DriveError) return error
  const cause = error as SdkError
  const { httpStatusCode: status } = cause.$metadata ?? {}
  const kind = kindOf(cause, status)
  const hint = hints[cause.name]
  const seconds = Number(cause.$response?.headers?.['retry-after'])
  const said = status === undefined ? failureOf(cause) : answerOf(cause, status)
  return new PrivateDriveError(
    kind,
    `The S3 store ${said}${hint === undefined ? '' : ` ${hint}`}`,
    {
      cause,
      ...(Number.isInteger(seconds) && { retryAfterSeconds: seconds }),
    },
  )
}

/**
 * Nothing was sent. The failure, which may be an answer of another service, is not the cause: it would be taken for the
 * store's.
 */
export function noCredentials({ name, message }: Error): DriveError {
  const hint = 'Set S3_DRIVE_ACCESS_KEY and S3_DRIVE_SECRET_KEY.'
  const said = `The S3 store cannot be asked without credentials: ${message || name}. ${hint}`
  return new PrivateDriveError('unavailable', said)
}

/** The error of one object of a request for several. Undefined if there was none. */
export function errorOfCode(code: string, message: string): DriveError | undefined {
  const kind = kindsByCode[code] ?? (code === 'AccessDenied' ? 'denied' : 'unavailable')
  const error = new PrivateDriveError(kind, `The S3 store answered ${code}: ${message}`)
  return isAbsence(error) ? undefined : error
}

/** Whether there is no such object, also because the store cannot have one of this name. */
export function isAbsence(error: unknown): boolean {
  const absences: readonly DriveErrorKind[] = ['not-found', 'invalid-key', 'key-too-long']
  return error instanceof DriveError && absences.includes(error.kind)
}

/** Whether a request was refused without saying why. */
export function isUnexplained(error: unknown): boolean {
  const { $metadata, name } = ((error as DriveError).cause ?? {}) as Partial<SdkError>
  return $metadata?.httpStatusCode === 400 && name === codeless
}

/** Whether the store refused a request for what is in it, or ended the connection. */
export function isRefusal(error: unknown): boolean {
  const { cause, kind } = error as DriveError
  // Without a cause, the store has not answered in time.
  if (cause === undefined || kind === 'busy' || kind === 'denied') return false
  const { httpStatusCode = 400 } = (cause as SdkError).$metadata ?? {}
  return httpStatusCode >= 400 && httpStatusCode < 500
}

/** Whether the store may have done what a failed request asked for. */
export function isUnclear(error: unknown): boolean {
  const { cause, kind } = error as DriveError
  const { httpStatusCode = 500 } = (cause as SdkError | undefined)?.$metadata ?? {}
  return ['unavailable', 'busy'].includes(kind) && httpStatusCode >= 500
}

/** The store's code. */
export function codeOf(error: unknown): string | undefined {
  return ((error as DriveError).cause as SdkError | undefined)?.name
}

/** How often the SDK sent the request that failed. */
export function attemptsOf(error: unknown): number {
  return ((error as DriveError).cause as SdkError | undefined)?.$metadata?.attempts ?? 1
}

/** The name of the error for an answer that the SDK cannot read, as of a proxy or of another server. */
const unreadable = 'Error'
/** The name of the error for an answer without a body, as to a HEAD: a 400 may be about anything. */
const codeless = 'Unknown'

function kindOf(error: SdkError, status: number | undefined): DriveErrorKind {
  const known = kindsByCode[error.name]
  if (known !== undefined) return known
  const { name } = error
  if (status === undefined || (name === unreadable && status !== 503)) return 'unavailable'
  const isClear = status < 500 && name !== codeless
  return kindsByStatus[status] ?? (isClear ? 'unsupported' : 'unavailable')
}

function answerOf({ name, message }: SdkError, status: number): string {
  if (name === unreadable || name === codeless) {
    return `answered ${status} without an error document of S3.`
  }
  return `answered ${name}: ${message}`
}

function failureOf({ name, message }: SdkError): string {
  return `does not respond: ${message || name}.`
}
