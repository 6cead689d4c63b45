import { versioningOf } from '../../storage/buckets/bucket-options.ts'
import type { Buckets } from '../../storage/buckets/buckets.ts'
import type { LockRules } from '../../storage/drives/attributes.ts'
import type { Drive } from '../../storage/drives/drive.ts'
import type { Mount } from '../../storage/drives/route/mount.ts'
import { versionsOf } from '../../storage/drives/unversioned.ts'
import { deletePrefix } from '../../storage/jobs/delete-prefix.ts'
import type { Uploads } from '../../storage/s3/multipart/uploads.ts'
import { abortUploads } from './bucket-making.ts'

interface ResetParts {
  readonly drive: Drive
  readonly mounts: readonly Mount[]
  readonly uploads: Pick<Uploads, 'listOpen' | 'abortById'>
  readonly buckets: Pick<Buckets, 'all'>
}

const pageVersions = 500

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
    if (versioningOf(bucket) !== undefined) await removeVersions(drive, bucket.name, lock)
  }
}

async function removeVersions(drive: Drive, bucket: string, lock?: LockRules): Promise<void> {
  const cursor = versionsOf(drive, bucket, { prefix: '', after: '' })
  for (;;) {
    const page = await cursor.next(pageVersions)
    if (page.length === 0) return
    for (const entry of page) {
      if (entry.kind !== 'object') continue
      const { key, versionId } = entry
      if (lock) await drive.setAttributes?.(bucket, key, { legalHold: false }, { versionId })
      await drive.remove(bucket, key, { versionId, ...(lock && { lock }) })
    }
  }
}
