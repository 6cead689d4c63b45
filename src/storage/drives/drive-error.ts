/** The kinds of errors that callers distinguish. */
export type DriveErrorKind =
  /** A write condition did not hold: 412. */
  | 'condition'
  /** If-Match on an object that does not exist: 404 NoSuchKey. */
  | 'not-found'
  /** The file was changed during a read, or the requested version no longer exists. */
  | 'changed'
  /** The drive can't do this, now or later. */
  | 'unsupported'
  /** The server of the drive does not do it: 501. */
  | 'not-implemented'
  /** The server of the drive takes no part before the last one that is so small. */
  | 'part-too-small'
  /** The bytes of an upload are lost or can't become the object: a new upload is needed. */
  | 'upload-gone'
  /** The bucket was removed, or its folder is missing. */
  | 'no-bucket'
  /** The folder of a bucket that is to be removed has content. */
  | 'not-empty'
  /** The version has a retention or a legal hold. */
  | 'locked'
  /** The drive denies permission: an operator must act. */
  | 'denied'
  /** No space or quota is left. A retry will not succeed soon. */
  | 'full'
  /** The drive does not allow a character of the key in file names. */
  | 'invalid-key'
  /** The key is too long for the drive, even with escapes. */
  | 'key-too-long'
  /** Rate limit or contention: retry later. */
  | 'busy'
  /** The drive does not respond: I/O error, not mounted, network down. */
  | 'unavailable'

export class DriveError extends Error {
  readonly kind: DriveErrorKind
  /** Seconds after which a retry makes sense, if the drive knows. */
  readonly retryAfterSeconds: number | undefined

  /** @param message user-facing: what happened and what to do. */
  constructor(
    kind: DriveErrorKind,
    message: string,
    options: ErrorOptions & { readonly retryAfterSeconds?: number } = {},
  ) {
    super(message, options)
    this.name = 'DriveError'
    this.kind = kind
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/**
 * Its message is for the owner alone, because it contains words or addresses of what is behind the drive. Clients get
 * other words.
 */
export class PrivateDriveError extends DriveError {}

/** The error for a bucket whose folder has content and therefore can't be removed. */
export function notEmpty(bucket: string): DriveError {
  const message = `The folder of bucket ${bucket} is not empty. Remove its content first.`
  return new DriveError('not-empty', message)
}

/** The error for a bucket that can't be removed because of former versions and delete markers, which listings of objects hide. */
export function hasHistory(bucket: string): DriveError {
  const message = `The bucket ${bucket} has former versions or delete markers. Delete all versions first.`
  return new DriveError('not-empty', message)
}

export function changedSource({ bucket, key }: { bucket: string; key: string }): DriveError {
  return new DriveError('changed', `${bucket}/${key}: the version to copy no longer exists.`)
}

/** The error of a drive that cannot change these attributes in place. */
export function unsupportedChange(what: 'ACL' | 'tags' = 'tags'): DriveError {
  const other = what === 'tags' ? 'other tags' : 'another ACL'
  const message = `The drive of this bucket cannot change the ${what} of an object in place. Write or copy the object with ${other}.`
  return new DriveError('unsupported', message)
}
