import { DriveError } from './drive.ts'

const idPattern = /^[\w-]{1,64}$/

/**
 * IDs become file names: other characters must not pass.
 * @throws DriveError `changed`
 */
export function requireUploadId(id: unknown): asserts id is string {
  if (typeof id !== 'string' || !idPattern.test(id)) throw foreignState()
}

/** The error for the state of an upload that was started on another drive. */
export function foreignState(): DriveError {
  return new DriveError('changed', 'The state of this upload does not belong to this drive.')
}
