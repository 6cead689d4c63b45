import { deleteBucketMarks } from '../../dashboard/management/files/mark-table.ts'
import { deleteBucketShares } from '../../dashboard/shares/share-table.ts'
import { deleteBucketThumbnails } from '../../dashboard/thumbnails/thumbnail-table.ts'
import type { Database, Statement } from '../../platform/state/database.ts'
import { BucketMaker } from '../../storage/buckets/bucket-maker.ts'
import { MadeBucketTable } from '../../storage/buckets/made-bucket-table.ts'
import type { Drive } from '../../storage/drives/drive.ts'
import type { DriveNotes } from '../../storage/drives/drive-notes.ts'
import { deleteBucketJobs } from '../../storage/jobs/job-table.ts'
import { deleteBucketDeletions } from '../../storage/jobs/trash/deletion-table.ts'
import type { Uploads } from '../../storage/s3/multipart/uploads.ts'
import { isBucketName } from '../settings/parse-names.ts'
import type { Log } from '../telemetry/log.ts'
import type { CachedState } from './cached-state.ts'

interface BucketMakingParts {
  readonly log: Log
  readonly database: Database
  readonly drive: Drive
  readonly notes?: DriveNotes | undefined
  readonly uploads: Uploads
  readonly cached: CachedState
  readonly now: () => number
}

const pageUploads = 100

/** Deletes the rows of other tables about a bucket that is removed. */
function forgetBucket(bucket: string): Statement[] {
  return [
    deleteBucketJobs(bucket),
    deleteBucketDeletions(bucket),
    deleteBucketMarks(bucket),
    deleteBucketShares(bucket),
    deleteBucketThumbnails(bucket),
  ]
}

/** Connects BucketMaker to the parts that it changes. */
export function openBucketMaker(parts: BucketMakingParts): BucketMaker {
  const { log, database, drive, notes, uploads, cached, now } = parts
  const { buckets } = cached
  const maker = new BucketMaker({
    ...{ drive, notes, now, isBucketName },
    table: new MadeBucketTable(database, forgetBucket),
    configured: cached.configured,
    refresh: () => cached.refresh(),
    abortUploads: (bucket) => abortUploads(uploads, bucket),
    forgetVersions: cached.versioning.forget,
  })
  const namesOf = () => new Set(buckets.all().map(({ name }) => name))
  let known = namesOf()
  cached.onBuckets(() => {
    const names = namesOf()
    const added = [...names].filter((name) => !known.has(name))
    known = names
    if (added.length === 0) return
    maker.adopt(added).catch((error: unknown) => {
      log.warn({ buckets: added, err: error }, 'could not open the folders of new buckets')
    })
  })
  return maker
}

/** @param bucket undefined: of all buckets */
export async function abortUploads(
  uploads: Pick<Uploads, 'listOpen' | 'abortById'>,
  bucket: string | undefined,
): Promise<void> {
  const { signal } = new AbortController()
  for (;;) {
    const open = await uploads.listOpen({ bucket, after: undefined, limit: pageUploads })
    for (const { uploadId } of open) await uploads.abortById(uploadId, signal)
    if (open.length < pageUploads) return
  }
}
