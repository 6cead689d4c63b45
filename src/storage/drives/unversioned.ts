import type { Drive } from './drive.ts'
import { DriveError } from './drive-error.ts'
import type { VersionCursor, VersionQuery } from './versions.ts'

/** As `Drive.versionsRefusal`, also for a drive without it. */
export function refusalOfVersions(drive: Drive, bucket: string): string | undefined {
  if (drive.versionsRefusal !== undefined) return drive.versionsRefusal(bucket)
  if (drive.listVersions !== undefined) return undefined
  return `The drive of this bucket (${drive.kind}) cannot keep former versions of objects. Use a folder or an S3 store that has versions.`
}

/** As `Drive.listVersions`. @throws DriveError `unsupported` for a drive without it */
export function versionsOf(
  drive: Pick<Drive, 'listVersions'>,
  bucket: string,
  query: VersionQuery,
): VersionCursor {
  if (drive.listVersions !== undefined) return drive.listVersions(bucket, query)
  throw new DriveError('unsupported', 'The drive of this bucket has no versions of objects.')
}
