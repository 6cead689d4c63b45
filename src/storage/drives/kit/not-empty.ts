import { DriveError } from '../drive.ts'

/** For a bucket whose folder has content and so can't be removed. */
export function notEmpty(bucket: string): DriveError {
  const message = `The folder of bucket ${bucket} is not empty. Remove its content first.`
  return new DriveError('not-empty', message)
}
