import { readdirSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { openFileLimit } from '../../../platform/process/process-limits.ts'
import type { Database } from '../../../platform/state/database.ts'
import type { Drive } from '../../../storage/drives/drive.ts'
import type { Mount } from '../../../storage/drives/route/mount.ts'
import type { EventTable } from '../../../storage/events/event-table.ts'
import { pendingDigests } from '../../../storage/s3/body/threaded-writer.ts'
import type { Uploads } from '../../../storage/s3/multipart/uploads.ts'
import type { Settings } from '../../settings/read-settings.ts'
import type { CallSink } from '../calls.ts'
import { DatabaseCallMetrics, DriveCallMetrics, type ModelCallMetrics } from './call-metrics.ts'
import { RequestMetrics } from './request-metrics.ts'
import { Histogram, type Snapshot, SnapshotBuilder } from './snapshot.ts'

/** Counters of this process's event notifications (docs/notifications.md). */
export interface EventCounts {
  readonly sent: number
  readonly failed: number
  readonly lost: number
}

type WatchedEvents = Pick<EventTable, 'counts'>

type WatchedUploads = Pick<Uploads, 'statistics' | 'countOpen'>

/** Whether metrics are served anywhere. Otherwise, none are collected. */
export function hasMetrics(settings: Pick<Settings, 'metricsPort' | 'metricsToken'>): boolean {
  return settings.metricsPort !== undefined || settings.metricsToken !== undefined
}

/** The metrics of one process (docs/metrics.md). */
export class ProcessMetrics {
  readonly requests = new RequestMetrics()
  readonly #loop = new EventLoopWatch()
  /** By the name of the drive. */
  readonly #drives = new Map<string, { readonly calls: DriveCallMetrics; drive: Drive }>()
  #mounts: readonly Mount[] = []
  #database: DatabaseCallMetrics | undefined
  #uploads: WatchedUploads | undefined
  #eventCounts: EventCounts | undefined
  #events: WatchedEvents | undefined
  #modelCalls: Pick<ModelCallMetrics, 'addTo'> | undefined
  readonly #failures = new Map<string, number>()

  /** The drives whose state is reported. */
  get mounts(): readonly Mount[] {
    return this.#mounts
  }

  get uploads(): WatchedUploads | undefined {
    return this.#uploads
  }

  /** Counts the calls of a drive. @param name '' for the default drive */
  ofDrive(drive: Drive, name: string): CallSink {
    const { calls } = this.#drives.get(name) ?? { calls: new DriveCallMetrics() }
    this.#drives.set(name, { calls, drive })
    return calls
  }

  watchMounts(mounts: readonly Mount[]): void {
    this.#mounts = mounts
  }

  /** Measures the calls of the database. */
  ofDatabase(database: Database): CallSink {
    this.#database = new DatabaseCallMetrics(database)
    return this.#database
  }

  watchUploads(uploads: WatchedUploads): void {
    this.#uploads = uploads
  }

  watchModelCalls(calls: Pick<ModelCallMetrics, 'addTo'>): void {
    this.#modelCalls = calls
  }

  get events(): WatchedEvents | undefined {
    return this.#events
  }

  /** @param counts the counters of this process */
  watchEvents(events: WatchedEvents, counts: EventCounts): void {
    this.#events = events
    this.#eventCounts = counts
  }

  /** @param work the kind of background work */
  countFailure(work: string): void {
    this.#failures.set(work, (this.#failures.get(work) ?? 0) + 1)
  }

  snapshot(): Snapshot {
    const snapshot = new SnapshotBuilder()
    this.requests.addTo(snapshot)
    this.#addDrives(snapshot)
    this.#database?.addTo(snapshot)
    this.#addUploads(snapshot)
    this.#modelCalls?.addTo(snapshot)
    for (const [result, count] of Object.entries(this.#eventCounts ?? {})) {
      snapshot.add('bucketry_events_total', count, { result })
    }
    snapshot.add('bucketry_queue_length', pendingDigests(), { queue: 'digests' })
    for (const [work, count] of this.#failures) {
      snapshot.add('bucketry_background_failures_total', count, { work })
    }
    this.#loop.addTo(snapshot)
    addProcessUsage(snapshot)
    return snapshot.build()
  }

  close(): void {
    this.#loop.close()
  }

  #addDrives(snapshot: SnapshotBuilder): void {
    const waiting = new Map<string, number>()
    for (const [name, { calls, drive }] of this.#drives) {
      const label = driveLabel(name, drive)
      calls.addTo(snapshot, label)
      const { caches = {}, queues = {}, retries = {} } = drive.statistics?.() ?? {}
      for (const [cache, { hits, misses }] of Object.entries(caches)) {
        snapshot.add('bucketry_cache_hits_total', hits, { cache, drive: label })
        snapshot.add('bucketry_cache_misses_total', misses, { cache, drive: label })
      }
      for (const [queue, length] of Object.entries(queues)) {
        waiting.set(queue, (waiting.get(queue) ?? 0) + length)
      }
      for (const [reason, count] of Object.entries(retries)) {
        snapshot.add('bucketry_drive_retries_total', count, { drive: label, reason })
      }
    }
    for (const [queue, length] of waiting) {
      snapshot.add('bucketry_queue_length', length, { queue: `drive-${queue}` })
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

/** The label of a drive: its name, or its kind for the default drive. */
export function driveLabel(name: string, { kind }: Pick<Drive, 'kind'>): string {
  return name === '' ? kind : name
}

const everyMs = 100
const delayBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Measures how long work blocks the event loop of this process. */
class EventLoopWatch {
  readonly #delays = new Histogram(delayBounds)
  readonly #timer: NodeJS.Timeout
  #lastAt = performance.now()

  constructor() {
    this.#timer = setInterval(() => this.#look(), everyMs).unref()
  }

  addTo(snapshot: SnapshotBuilder): void {
    snapshot.addHistogram('bucketry_event_loop_delay_seconds', this.#delays)
    const { active } = performance.eventLoopUtilization()
    snapshot.add('bucketry_event_loop_busy_seconds_total', active / 1_000)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const now = performance.now()
    this.#delays.observe(Math.max(0, now - this.#lastAt - everyMs) / 1_000)
    this.#lastAt = now
  }
}

/** Adds the resource usage of this process. Synchronous, because a hanging disk may block all threads of the pool. */
function addProcessUsage(snapshot: SnapshotBuilder): void {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  snapshot.add('bucketry_process_cpu_seconds_total', (user + system) / 1e6)
  snapshot.add('bucketry_process_resident_memory_bytes', rss)
  snapshot.add('bucketry_process_heap_bytes', heapUsed)
  snapshot.add('bucketry_process_max_open_files', openFileLimit())
  const openFiles = countOpenFiles()
  if (openFiles !== undefined) snapshot.add('bucketry_process_open_files', openFiles)
}

function countOpenFiles(): number | undefined {
  try {
    // The folder itself is open while it is read.
    return readdirSync('/proc/self/fd').length - 1
  } catch {
    // Not Linux, or no /proc in this container.
    return undefined
  }
}
