import { BucketUsage } from '../buckets/bucket-usage.ts'
import { BucketCounter } from '../console/management/bucket-counter.ts'
import type { Drive } from '../drives/drive.ts'
import type { Uploads } from '../s3/multipart/uploads.ts'
import type { Database } from '../state/database.ts'
import { BucketCountTable } from '../state/stores/bucket-counts.ts'
import type { Log } from './log.ts'

export interface OpenBucketUsage {
  readonly usage: BucketUsage
  /** Cancels running counts. */
  close(): Promise<void>
}

/** How much is in buckets with a quota; they are counted as for the dashboard. */
export function openBucketUsage({
  database,
  drive,
  uploads,
  log,
  now,
}: {
  readonly database: Database
  readonly drive: Drive
  readonly uploads: Pick<Uploads, 'openBytes'>
  readonly log: Log
  /** The database's time: another gateway may be counting. */
  readonly now: () => number
}): OpenBucketUsage {
  const table = new BucketCountTable(database)
  const counter = new BucketCounter({ drive, table, now, log })
  const usage = new BucketUsage({
    async read(buckets) {
      const counts = await counter.read(buckets)
      const known = [...counts].flatMap(([bucket, { figures }]) =>
        figures === undefined ? [] : [[bucket, figures] as const],
      )
      return new Map(known)
    },
    readOpenParts: () => uploads.openBytes(),
    now,
    onFailure: (error) => log.warn({ err: error }, 'could not read how much is in a bucket'),
  })
  return { usage, close: () => counter.close() }
}
