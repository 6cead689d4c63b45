import type { Drive } from '../../drives/drive.ts'
import { pendingDigests } from '../../s3/body/threaded-writer.ts'
import type { Uploads } from '../../s3/multipart/uploads.ts'
import type { Database } from '../../state/database.ts'
import type { Settings } from '../settings/read-settings.ts'
import { countedDrive } from './counted-drive.ts'
import { DriveCalls } from './drive-calls.ts'
import { EventLoopWatch } from './event-loop.ts'
import { addProcessUsage } from './process-usage.ts'
import { RequestMetrics } from './request-metrics.ts'
import { type Snapshot, SnapshotBuilder } from './snapshot.ts'
import { TimedDatabase } from './timed-database.ts'

type WatchedUploads = Pick<Uploads, 'statistics' | 'countOpen'>

/** Whether anything can read metrics; otherwise none are kept. */
export function hasMetrics(settings: Pick<Settings, 'metricsPort' | 'metricsToken'>): boolean {
  return settings.metricsPort !== undefined || settings.metricsToken !== undefined
}

/** The metrics of one process (docs/metrics.md). */
export class ProcessMetrics {
  readonly requests = new RequestMetrics()
  readonly #loop = new EventLoopWatch()
  readonly #driveCalls = new DriveCalls()
  #drive: Drive | undefined
  #database: TimedDatabase | undefined
  #uploads: WatchedUploads | undefined

  /** The drive of this process, for monitoring. */
  get drive(): Drive | undefined {
    return this.#drive
  }

  get uploads(): WatchedUploads | undefined {
    return this.#uploads
  }

  /** The drive with its calls counted. */
  watchDrive(drive: Drive): Drive {
    this.#drive = drive
    return countedDrive(drive, this.#driveCalls)
  }

  /** The database with its calls timed. */
  watchDatabase(database: Database): Database {
    this.#database = new TimedDatabase(database)
    return this.#database
  }

  watchUploads(uploads: WatchedUploads): void {
    this.#uploads = uploads
  }

  snapshot(): Snapshot {
    const snapshot = new SnapshotBuilder()
    this.requests.addTo(snapshot)
    this.#addDrive(snapshot)
    this.#database?.addTo(snapshot)
    this.#addUploads(snapshot)
    snapshot.add('bucketry_queue_length', pendingDigests(), { queue: 'digests' })
    this.#loop.addTo(snapshot)
    addProcessUsage(snapshot)
    return snapshot.build()
  }

  close(): void {
    this.#loop.close()
  }

  #addDrive(snapshot: SnapshotBuilder): void {
    if (this.#drive === undefined) return
    const { kind: drive } = this.#drive
    this.#driveCalls.addTo(snapshot, drive)
    const { caches = {}, queues = {}, retries = {} } = this.#drive.statistics?.() ?? {}
    for (const [cache, { hits, misses }] of Object.entries(caches)) {
      snapshot.add('bucketry_cache_hits_total', hits, { cache })
      snapshot.add('bucketry_cache_misses_total', misses, { cache })
    }
    for (const [queue, waiting] of Object.entries(queues)) {
      snapshot.add('bucketry_queue_length', waiting, { queue: `drive-${queue}` })
    }
    for (const [reason, count] of Object.entries(retries)) {
      snapshot.add('bucketry_drive_retries_total', count, { drive, reason })
    }
  }

  #addUploads(snapshot: SnapshotBuilder): void {
    if (this.#uploads === undefined) return
    const { held, refused } = this.#uploads.statistics()
    snapshot.add('bucketry_held_parts', held)
    for (const [reason, count] of Object.entries(refused)) {
      snapshot.add('bucketry_refused_parts_total', count, { reason })
    }
  }
}
