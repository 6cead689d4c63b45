import { versioningOf } from '../../storage/buckets/bucket-options.ts'
import type { Buckets } from '../../storage/buckets/buckets.ts'
import type { LockRules } from '../../storage/drives/attributes.ts'
import type { Drive } from '../../storage/drives/drive.ts'
import type { Mount } from '../../storage/drives/route/mount.ts'
import { deletePrefix } from '../../storage/jobs/delete-prefix.ts'
import { walkVersions } from '../../storage/jobs/walk.ts'
import type { Uploads } from '../../storage/s3/multipart/uploads.ts'
import { abortUploads } from './bucket-making.ts'

interface ResetParts {
  readonly drive: Drive
  readonly mounts: readonly Mount[]
  readonly uploads: Pick<Uploads, 'listOpen' | 'abortById'>
  readonly buckets: Pick<Buckets, 'all'>
}

/** Every retention ends at some time. */
const endOfTime: LockRules = { nowMs: Number.POSITIVE_INFINITY }

/**
 * Removes all objects, their versions and open uploads. Requests that run at the same time may leave some. Object Lock does
 * not protect objects in memory, which end with the process anyway.
 *
 * @throws DriveError `locked` if there is another drive, whose objects remain
 */
export async function reset({ drive, mounts, uploads, buckets }: ResetParts): Promise<void> {
  await abortUploads(uploads, undefined)
  const { signal } = new AbortController()
  const lock = mounts.length > 1 ? undefined : endOfTime
  for (const bucket of buckets.all()) {
    await deletePrefix({ drive, bucket: bucket.name, prefix: '', signal })
    if (versioningOf(bucket) !== undefined)
      await removeVersions(drive, { bucket: bucket.name, signal }, lock)
  }
}

async function removeVersions(
  drive: Drive,
  { bucket, signal }: { readonly bucket: string; readonly signal: AbortSignal },
  lock?: LockRules,
): Promise<void> {
  for await (const page of walkVersions({ drive, bucket, prefix: '', signal })) {
    for (const { key, versionId } of page) {
      if (lock) await drive.setAttributes?.(bucket, key, { legalHold: false }, { versionId })
      await drive.remove(bucket, key, { versionId, ...(lock && { lock }) })
    }
  }
}
