import { BucketMaker } from '../buckets/bucket-maker.ts'
import type { Drive } from '../drives/drive.ts'
import type { DriveNotes } from '../drives/drive-notes.ts'
import type { Uploads } from '../s3/multipart/uploads.ts'
import type { Database } from '../state/database.ts'
import { MadeBucketTable } from '../state/stores/made-buckets.ts'
import type { Log } from './log.ts'
import type { Registries } from './registries.ts'
import { isBucketName } from './settings/parse-names.ts'

interface BucketMakingParts {
  readonly log: Log
  readonly database: Database
  readonly drive: Drive
  readonly notes?: DriveNotes | undefined
  readonly uploads: Uploads
  readonly registries: Registries
  readonly now: () => number
}

const pageUploads = 100

/** Connects the maker of buckets to what it changes. */
export function openBucketMaker(parts: BucketMakingParts): BucketMaker {
  const { log, database, drive, notes, uploads, registries, now } = parts
  const { buckets } = registries
  const maker = new BucketMaker({
    ...{ drive, notes, now, isBucketName },
    table: new MadeBucketTable(database),
    configured: registries.configured,
    refresh: () => registries.refresh(),
    abortUploads: (bucket) => abortUploads(uploads, bucket),
  })
  const namesOf = () => new Set(buckets.all().map(({ name }) => name))
  let known = namesOf()
  registries.onBuckets(() => {
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

async function abortUploads(uploads: Uploads, bucket: string): Promise<void> {
  const { signal } = new AbortController()
  for (;;) {
    const open = await uploads.listOpen({ bucket, after: undefined, limit: pageUploads })
    for (const { uploadId } of open) await uploads.abortById(uploadId, signal)
    if (open.length < pageUploads) return
  }
}
