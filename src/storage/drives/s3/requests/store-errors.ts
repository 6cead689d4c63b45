import { DriveError, type DriveErrorKind, PrivateDriveError } from '../../drive-error.ts'

/** An error of the SDK: the store's error document, or a connection failure. */
interface SdkError extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number }
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> }
}

/** By the store's code (API reference, "Error responses"; some codes are of MinIO, Ceph and Garage). */
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
  // Stores that keep objects as files cannot have both `a` and `a/b`.
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
  // Mistakes in the settings, with status 400.
  AuthorizationHeaderMalformed: 'denied',
  ExpiredToken: 'denied',
  InvalidToken: 'denied',
  // In an archive (API reference, RestoreObject).
  InvalidObjectState: 'unsupported',
  // Also in a reply with status 200, which the SDK reports as 503.
  InternalError: 'unavailable',
}

const kindsByStatus: Readonly<Record<number, DriveErrorKind>> = {
  ...{ 301: 'denied', 307: 'denied', 308: 'denied' },
  ...{ 401: 'denied', 403: 'denied', 404: 'not-found', 412: 'condition' },
  ...{ 429: 'busy', 501: 'not-implemented', 503: 'busy', 507: 'full' },
}

/** Advice for the operator, by the store's code. */
const hints: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'Check S3_DRIVE_ACCESS_KEY.',
  SignatureDoesNotMatch: 'Check S3_DRIVE_SECRET_KEY and S3_DRIVE_REGION.',
  AuthorizationHeaderMalformed: 'Check S3_DRIVE_REGION.',
  ExpiredToken: 'Renew the credentials of the session.',
  InvalidToken: 'Check the credentials of the session.',
  PermanentRedirect: "Set DRIVE to the address of the bucket's region.",
  AccessDenied: 'The access key lacks a right (docs/s3-drive.md, "Rights").',
  RequestTimeTooSkewed: "Set this machine's clock.",
  NoSuchBucket: 'Create the bucket, or correct DRIVE.',
}

/** The error of a call, with a user-facing message. DriveErrors are unchanged. */
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

/** The failure is not the `cause`, because it may be another service's answer, which would count as the store's. */
export function noCredentials({ name, message }: Error): DriveError {
  const hint = 'Set S3_DRIVE_ACCESS_KEY and S3_DRIVE_SECRET_KEY.'
  const said = `No credentials for the S3 store: ${message || name}. ${hint}`
  return new PrivateDriveError('unavailable', said)
}

/** The error for one object of a batch. Undefined if the object did not exist. */
export function errorOfCode(code: string, message: string): DriveError | undefined {
  const kind = kindsByCode[code] ?? (code === 'AccessDenied' ? 'denied' : 'unavailable')
  const error = new PrivateDriveError(kind, `The S3 store answered ${code}: ${message}`)
  return isAbsence(error) ? undefined : error
}

/** Whether there is no such object, or cannot be one of this name in this store. */
export function isAbsence(error: unknown): boolean {
  const absences: readonly DriveErrorKind[] = ['not-found', 'invalid-key', 'key-too-long']
  return error instanceof DriveError && absences.includes(error.kind)
}

/** Whether the store refused a request without a reason. */
export function isUnexplained(error: unknown): boolean {
  const { $metadata, name } = ((error as DriveError).cause ?? {}) as Partial<SdkError>
  return $metadata?.httpStatusCode === 400 && name === codeless
}

/** Whether the store refused the content of a request, or closed the connection. */
export function isRefusal(error: unknown): boolean {
  const { cause, kind } = error as DriveError
  // Without a cause, the store has not answered in time.
  if (cause === undefined || kind === 'busy' || kind === 'denied') return false
  const { httpStatusCode = 400 } = (cause as SdkError).$metadata ?? {}
  return httpStatusCode >= 400 && httpStatusCode < 500
}

/** Whether the store may have executed a request that failed. */
export function isUnclear(error: unknown): boolean {
  const { cause, kind } = error as DriveError
  const { httpStatusCode = 500 } = (cause as SdkError | undefined)?.$metadata ?? {}
  return ['unavailable', 'busy'].includes(kind) && httpStatusCode >= 500
}

/** Whether the requested version is a delete marker (API reference, GetObject). */
export function isMarkerRefusal(error: unknown): boolean {
  return statusOf(error) === 405
}

/** Whether there is no version with the requested ID, or can't be one. */
export function isNoVersion(error: unknown): boolean {
  return isAbsence(error) || codeOf(error) === 'InvalidArgument'
}

function statusOf(error: unknown): number | undefined {
  return ((error as DriveError).cause as SdkError | undefined)?.$metadata?.httpStatusCode
}

/** The store's code. */
export function codeOf(error: unknown): string | undefined {
  return ((error as DriveError).cause as SdkError | undefined)?.name
}

/** How often the SDK sent the failed request. */
export function attemptsOf(error: unknown): number {
  return ((error as DriveError).cause as SdkError | undefined)?.$metadata?.attempts ?? 1
}

/** The SDK's name for an answer that it cannot parse, such as a proxy's. */
const unreadable = 'Error'
/** The SDK's name for an answer without a body, such as to a HEAD. */
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
