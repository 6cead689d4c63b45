import type { HeaderFields } from '../../platform/http/message.ts'
import { type DriveError, type DriveErrorKind, PrivateDriveError } from '../drives/drive-error.ts'

/**
 * Every error that S3 clients can get, by AWS's codes
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html). The exceptions are in
 * docs/contract/decisions.md, "Differences from AWS".
 */
export const s3Errors = {
  AccessControlListNotSupported: [400, 'The bucket does not allow ACLs.'],
  AccessDenied: [403, 'Access Denied'],
  AccessForbidden: [403, 'CORSResponse: This CORS request is not allowed.'],
  AuthorizationHeaderMalformed: [400, 'The authorization header that you provided is not valid.'],
  AuthorizationQueryParametersError: [
    400,
    'The authorization query parameters that you provided are not valid.',
  ],
  BadDigest: [
    400,
    'The Content-MD5 or checksum value that you specified did not match what the server received.',
  ],
  BadRequest: [400, 'The request could not be understood.'],
  BucketAlreadyExists: [
    409,
    'The requested bucket name is not available. Select a different name and try again.',
  ],
  BucketAlreadyOwnedByYou: [
    409,
    'Your previous request to create the named bucket succeeded and you already own it.',
  ],
  BucketNotEmpty: [409, 'The bucket you tried to delete is not empty.'],
  EntityTooLarge: [400, 'Your proposed upload exceeds the maximum allowed size.'],
  EntityTooSmall: [400, 'Your proposed upload is smaller than the minimum allowed object size.'],
  IllegalLocationConstraintException: [
    400,
    'The location constraint is incompatible with the region of this endpoint.',
  ],
  IncompleteBody: [
    400,
    'You did not provide the number of bytes specified by the Content-Length HTTP header.',
  ],
  IncorrectNumberOfFilesInPostRequest: [400, 'POST requires exactly one file upload per request.'],
  InternalError: [500, 'We encountered an internal error. Please try again.'],
  InvalidAccessKeyId: [
    403,
    'The AWS access key ID that you provided does not exist in our records.',
  ],
  InvalidArgument: [400, 'Invalid argument.'],
  InvalidBucketState: [409, 'The request is not valid for the current state of the bucket.'],
  InvalidBucketName: [400, 'The specified bucket is not valid.'],
  InvalidDigest: [400, 'The Content-MD5 or checksum value that you specified is not valid.'],
  InvalidLocationConstraint: [400, 'The specified location constraint is not valid.'],
  InvalidPart: [
    400,
    "One or more of the specified parts could not be found. The part might not have been uploaded, or the specified entity tag might not have matched the part's entity tag.",
  ],
  InvalidPartNumber: [416, 'The requested partnumber is not satisfiable.'],
  InvalidPartOrder: [
    400,
    'The list of parts was not in ascending order. Parts list must be specified in order by part number.',
  ],
  InvalidPolicyDocument: [
    400,
    'The content of the form does not meet the conditions specified in the policy document.',
  ],
  InvalidRange: [416, 'The requested range is not satisfiable.'],
  InvalidRequest: [400, 'The request is not valid.'],
  InvalidRetentionPeriod: [400, 'The retention period is not valid.'],
  InvalidStorageClass: [400, 'The storage class you specified is not valid'],
  InvalidTag: [400, 'The tag provided was not a valid tag.'],
  InvalidURI: [400, "Couldn't parse the specified URI."],
  KeyTooLongError: [400, 'Your key is too long.'],
  MalformedACLError: [
    400,
    'The ACL that you provided was not well formed or did not validate against our published schema.',
  ],
  MalformedPolicy: [400, 'Policy has invalid resource.'],
  MalformedPOSTRequest: [
    400,
    'The body of your POST request is not well-formed multipart/form-data.',
  ],
  MalformedXML: [
    400,
    'The XML you provided was not well-formed or did not validate against our published schema.',
  ],
  MaxMessageLengthExceeded: [400, 'Your request was too big.'],
  MaxPostPreDataLengthExceededError: [
    400,
    'Your POST request fields preceding the upload file were too large.',
  ],
  MetadataTooLarge: [400, 'Your metadata headers exceed the maximum allowed metadata size.'],
  MethodNotAllowed: [405, 'The specified method is not allowed against this resource.'],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header.'],
  MissingSecurityHeader: [400, 'Your request is missing a required header.'],
  NoSuchBucket: [404, 'The specified bucket does not exist.'],
  NoSuchBucketPolicy: [404, 'The bucket policy does not exist.'],
  NoSuchConfiguration: [404, 'The specified configuration does not exist.'],
  NoSuchCORSConfiguration: [404, 'The CORS configuration does not exist.'],
  NoSuchKey: [404, 'The specified key does not exist.'],
  NoSuchLifecycleConfiguration: [404, 'The lifecycle configuration does not exist.'],
  NoSuchObjectLockConfiguration: [
    404,
    'The specified object does not have a ObjectLock configuration',
  ],
  NoSuchPublicAccessBlockConfiguration: [
    404,
    'The public access block configuration was not found.',
  ],
  NoSuchTagSet: [404, 'The TagSet does not exist.'],
  NoSuchUpload: [
    404,
    'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
  ],
  NoSuchVersion: [404, 'The specified version does not exist.'],
  NoSuchWebsiteConfiguration: [404, 'The specified bucket does not have a website configuration.'],
  NotImplemented: [501, 'A header you provided implies functionality that is not implemented'],
  ObjectLockConfigurationNotFoundError: [
    404,
    'Object Lock configuration does not exist for this bucket.',
  ],
  OwnershipControlsNotFoundError: [404, 'The bucket ownership controls were not found.'],
  PreconditionFailed: [412, 'At least one of the pre-conditions you specified did not hold.'],
  QuotaExceeded: [403, 'The drive has no space left.'],
  ReplicationConfigurationNotFoundError: [404, 'The replication configuration was not found.'],
  RequestHeaderSectionTooLarge: [
    400,
    'Your request header section exceeds the maximum allowed size.',
  ],
  RequestTimeTooSkewed: [
    403,
    "The difference between the request time and the server's time is too large.",
  ],
  RequestTimeout: [
    400,
    'Your socket connection to the server was not read from or written to within the timeout period.',
  ],
  ServerSideEncryptionConfigurationNotFoundError: [
    404,
    'The server side encryption configuration was not found.',
  ],
  ServiceUnavailable: [503, 'Service is unable to handle request.'],
  SignatureDoesNotMatch: [
    403,
    'The request signature that the server calculated does not match the signature that you provided. Check your secret access key and signing method.',
  ],
  SlowDown: [503, 'Please reduce your request rate.'],
  TooManyBuckets: [400, 'You have attempted to create more buckets than allowed.'],
  UnexpectedContent: [400, 'This request contains unsupported content.'],
  XAmzContentSHA256Mismatch: [
    400,
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
  ],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type S3ErrorCode = keyof typeof s3Errors

/** AWS's form of an error for which the contract has another code, message or elements. */
export interface AwsForm {
  readonly code: S3ErrorCode
  /** Default: the message of the error itself. */
  readonly message?: string
  /** In addition to those of the error itself. */
  readonly elements?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

export interface S3ErrorOptions extends ErrorOptions {
  /** Elements that S3 defines for this error, which follow Message. */
  readonly elements?: Readonly<Record<string, string>>
  /** Headers of the reply, such as Retry-After. */
  readonly headers?: Readonly<Record<string, string>>
  /** What failed and what to do, for the owner, in the log and the dashboard. Never a secret. */
  readonly reason?: string
  /** What the client gets instead with COMPATIBILITY=aws. */
  readonly inAws?: AwsForm | undefined
}

/** An error reply for an S3 client. The message is user-facing and never contains a secret. */
export class S3Error extends Error {
  readonly code: S3ErrorCode
  readonly status: number
  readonly elements: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  /** Defaults to the message that the client gets. */
  readonly reason: string
  readonly #inAws: AwsForm | undefined

  constructor(code: S3ErrorCode, message?: string, options: S3ErrorOptions = {}) {
    const [status, defaultMessage] = s3Errors[code]
    super(message ?? defaultMessage, options)
    this.name = 'S3Error'
    this.code = code
    this.status = status
    this.elements = options.elements ?? {}
    this.headers = options.headers ?? {}
    this.reason = options.reason ?? this.message
    this.#inAws = options.inAws
  }

  /** Returns the error in AWS's form. */
  inAws(): S3Error {
    const form = this.#inAws
    if (form === undefined) return this
    return new S3Error(form.code, form.message ?? this.message, {
      cause: this,
      elements: { ...this.elements, ...form.elements },
      headers: { ...this.headers, ...form.headers },
      reason: this.reason,
    })
  }
}

/** The error for a parameter, header or element with an invalid value. Names it, as S3 does. */
export function invalidArgument(name: string, value: string, message: string): S3Error {
  return new S3Error('InvalidArgument', message, {
    elements: { ArgumentName: name, ArgumentValue: value },
  })
}

/** The maximum number of characters of a client's value in errors and logs. */
const maxShown = 256

/** A value chosen by a client, truncated: it may be as large as the header section. */
export function shortened(text: string, maxLength = maxShown): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

/** A shortened value in quotes, for a message. */
export function quoted(text: string): string {
  return JSON.stringify(shortened(text))
}

/** The error for a bucket that does not exist, for callers who are allowed to know that. */
export function noSuchBucket(bucket: string): S3Error {
  return new S3Error('NoSuchBucket', undefined, { elements: { BucketName: bucket } })
}

/** AWS's form of an error for a bucket that does not exist, where the contract specifies another error. */
export function absentBucket(bucket: string): AwsForm {
  const message = s3Errors.NoSuchBucket[1]
  return { code: 'NoSuchBucket', message, elements: { BucketName: bucket } }
}

/** The error for a read or delete of a key without an object. Names the key, as S3 does. */
export function noSuchKey(key: string, headers: HeaderFields = []): S3Error {
  return new S3Error('NoSuchKey', undefined, {
    elements: { Key: key },
    headers: Object.fromEntries(headers),
  })
}

/**
 * The error for a feature of S3 that this service lacks. Test suites of clients look for the start of the message,
 * which is AWS's (docs/decisions/0056-not-implemented.md).
 */
export function notImplemented(what: string, options: S3ErrorOptions = {}): S3Error {
  const message = `${s3Errors.NotImplemented[1]}: ${what}`
  return new S3Error('NotImplemented', message.trimEnd(), options)
}

/**
 * The error for a header field that cannot be honored. The message names the field, because SDKs show nothing else.
 */
export function headerNotImplemented(
  header: string,
  hint = '',
  options: Pick<S3ErrorOptions, 'inAws'> = {},
): S3Error {
  return notImplemented(`${header}. ${hint}`, { elements: { Header: header }, ...options })
}

/** AWS's error for a lock in a bucket without Object Lock. */
export const withoutLock = {
  code: 'InvalidRequest',
  message: 'Bucket is missing Object Lock Configuration',
} as const satisfies AwsForm

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
  // API reference, DeleteObject: "If object version is protected by Object Lock", AccessDenied.
  locked: { code: 'AccessDenied' },
  // The folder of a bucket that is served was moved away, so an operator must act (access.ts has the other cases).
  'no-bucket': { code: 'ServiceUnavailable', retryAfterSeconds: unavailableSeconds },
  'not-empty': { code: 'BucketNotEmpty' },
  'not-found': { code: 'NoSuchKey' },
  'not-implemented': { code: 'NotImplemented' },
  'part-too-small': { code: 'EntityTooSmall' },
  // A feature of S3 that this drive lacks.
  unsupported: { code: 'InvalidRequest' },
  'upload-gone': { code: 'NoSuchUpload' },
  unavailable: { code: 'ServiceUnavailable', retryAfterSeconds: unavailableSeconds },
}

/** Kinds that get S3's standard message. For the others, the drive's own message is more specific. */
const standardMessages: ReadonlySet<DriveErrorKind> = new Set(['condition', 'not-found'])

/** Replaces a message that is only for the owner. Other kinds get S3's standard message. */
const messages: Readonly<Partial<Record<DriveErrorKind, string>>> = {
  denied: 'The drive denied the request. The service log has the reason.',
  'invalid-key': 'The drive does not accept this key.',
  unavailable: 'The drive is not available. Try again later.',
  unsupported: 'The drive does not support this. The service log has the reason.',
}

/** The request depends on attributes that cannot be read at the moment (Attributes.isProvisional). */
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
