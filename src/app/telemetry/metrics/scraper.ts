import { packageVersion } from '../../../platform/process/package-folder.ts'
import { withinTime } from '../../../platform/process/time-limit.ts'
import type { Mount } from '../../../storage/drives/route/mount.ts'
import { onceAtATime } from '../../gateway/health.ts'
import { driveLabel, type ProcessMetrics } from './process-metrics.ts'
import { metricsText, type Snapshot, SnapshotBuilder } from './snapshot.ts'
import type { WorkerReport } from './worker-snapshots.ts'

const alone: WorkerReport = { snapshots: [], workers: 1, silent: 0, deaths: 0 }

/** Returns the text of a scrape. */
export type Scrape = () => Promise<string>

export interface ScrapeParts {
  /** The metrics of this process. */
  readonly metrics: ProcessMetrics
  /** Absent if this process serves alone. */
  readonly gatherWorkers?: () => Promise<WorkerReport>
  /** Monotonic clock, milliseconds. */
  readonly now?: () => number
}

/** A scrape takes some milliseconds of CPU time, so there is at most one a second. */
const freshMs = 1_000

/** Answers scrapes for all processes. Scrapes within a second share one answer. */
export function createScrape({
  metrics,
  gatherWorkers,
  now = () => performance.now(),
}: ScrapeParts): Scrape {
  const ofService = createServiceSource(metrics)
  const gather = async () => {
    const [common, report] = await Promise.all([ofService(), gatherWorkers?.() ?? alone])
    const own = metrics.snapshot()
    return await metricsText([own, common, workersSnapshot(report), ...report.snapshots])
  }
  let latest: Promise<string> | undefined
  let freshUntilMs = 0
  return () => {
    if (latest !== undefined && now() < freshUntilMs) return latest
    freshUntilMs = now() + freshMs
    const running = gather()
    latest = running
    running.catch(() => {
      if (latest === running) latest = undefined
    })
    return running
  }
}

function workersSnapshot({ workers, silent, deaths }: WorkerReport): Snapshot {
  const snapshot = new SnapshotBuilder()
  snapshot.add('bucketry_workers', workers)
  snapshot.add('bucketry_workers_silent', silent)
  snapshot.add('bucketry_worker_deaths_total', deaths)
  return snapshot.build()
}

/** Time limit for the drive and the database. If it is exceeded, their values are left out. */
const timeoutMs = 2_000

/** Maximum number of waiting events, and of dead events, to count. Counting takes time, and more are rare. */
const mostEvents = 200_000

/** Reads the metrics that are the same for all processes. */
function createServiceSource(metrics: ProcessMetrics): () => Promise<Snapshot> {
  const { mounts, uploads, events } = metrics
  const drives = mounts.map(watchOf)
  const askUploads = uploads && onceAtATime(() => uploads.countOpen())
  const askEvents = events && onceAtATime(() => events.counts(mostEvents))
  const version = packageVersion()
  return async () => {
    const [openUploads, eventCounts, ...states] = await Promise.all([
      ...([answerOf(askUploads), answerOf(askEvents)] as const),
      ...drives.map((drive) => drive()),
    ])
    const snapshot = new SnapshotBuilder()
    snapshot.add('bucketry_process_start_time_seconds', performance.timeOrigin / 1_000)
    snapshot.add('bucketry_build_info', 1, { version, node: process.version })
    if (openUploads !== undefined) snapshot.add('bucketry_open_uploads', openUploads)
    for (const [state, count] of Object.entries<number>({ ...eventCounts })) {
      snapshot.add('bucketry_events', count, { state })
    }
    for (const { drive, isUp, space } of states) {
      snapshot.add('bucketry_drive_up', isUp ? 1 : 0, { drive })
      if (space === undefined) continue
      snapshot.add('bucketry_drive_free_bytes', space.freeBytes, { drive })
      snapshot.add('bucketry_drive_size_bytes', space.totalBytes, { drive })
    }
    return snapshot.build()
  }
}

/** Checks whether a drive responds, and asks a local one for its space: other drives would send a request each time. */
function watchOf(mount: Mount) {
  const check = onceAtATime(async () => {
    await mount.drive.check()
    return true
  })
  const askSpace = onceAtATime(async () => {
    const { drive } = mount
    return drive.isLocal ? await drive.quota?.() : undefined
  })
  return async () => {
    const [isUp = false, space] = await Promise.all([answerOf(check), answerOf(askSpace)])
    return { drive: driveLabel(mount.name, mount.drive), isUp, space }
  }
}

/** Undefined if the source fails or hangs. The health checks report why. */
async function answerOf<Result>(
  ask: (() => Promise<Result>) | undefined,
): Promise<Result | undefined> {
  try {
    return ask && (await withinTime(ask(), timeoutMs))
  } catch {
    return undefined
  }
}

/** Longer than the primary waits for silent workers. */
const primaryTimeoutMs = 8_000

/** Scrapes that a worker receives and the primary answers. Concurrent scrapes share one answer. */
export class WorkerScrape {
  readonly #ask: () => void
  #running: Promise<string> | undefined
  #answer: (text: string | undefined) => void = () => undefined

  /** @param ask sends the question to the primary, whose answer arrives at `receive`. */
  constructor(ask: () => void) {
    this.#ask = ask
  }

  readonly scrape: Scrape = () => {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** @param text undefined if the primary could not gather the metrics. */
  receive(text: string | undefined): void {
    this.#answer(text)
  }

  async #run(): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    this.#answer = resolve
    this.#ask()
    const text = await withinTime(promise, primaryTimeoutMs)
    if (text === undefined) throw new Error('The main process could not gather the metrics.')
    return text
  }
}
