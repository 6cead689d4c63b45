import { DriveError } from '../drive.ts'

const idPattern = /^[\w-]{1,64}$/

/**
 * IDs become file names: other characters must not pass.
 * @throws DriveError `upload-gone`
 */
export function requireUploadId(id: unknown): asserts id is string {
  if (typeof id !== 'string' || !idPattern.test(id)) throw foreignState()
}

/** The error for the state of an upload that was started on another drive. */
export function foreignState(): DriveError {
  const message = 'The upload was started on another drive: start a new upload.'
  return new DriveError('upload-gone', message)
}
