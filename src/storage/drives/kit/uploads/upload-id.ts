import type { CompleteOptions, ObjectMetadata } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'

const idPattern = /^[\w-]{1,64}$/

/** IDs become file names: other characters must not pass. */
export function isUploadId(id: unknown): id is string {
  return typeof id === 'string' && idPattern.test(id)
}

/** @throws DriveError `upload-gone` */
export function requireUploadId(id: unknown): asserts id is string {
  if (!isUploadId(id)) throw foreignState()
}

/** The error for an upload whose bytes are not there any more. */
export function lostBytes(): DriveError {
  return new DriveError('upload-gone', 'The bytes of this upload are lost: start a new upload.')
}

/** @throws DriveError `upload-gone` if the upload became an object with other bytes */
export function requireSame(
  published: ObjectMetadata,
  { attributes, size }: Pick<CompleteOptions, 'attributes' | 'size'>,
): void {
  const isSame = published.attributes.etag === attributes.etag && published.size === size
  if (!isSame) throw alreadyPublished()
}

export function alreadyPublished(): DriveError {
  const message = 'This upload was completed with other parts. Start a new upload.'
  return new DriveError('upload-gone', message)
}

/** The error for the state of an upload that was started on another drive. */
export function foreignState(): DriveError {
  const message = 'The upload was started on another drive: start a new upload.'
  return new DriveError('upload-gone', message)
}
