import { metricsText } from './metrics-text.ts'
import type { ProcessMetrics } from './process-metrics.ts'
import { createServiceSource } from './service-source.ts'
import { type Snapshot, SnapshotBuilder } from './snapshot.ts'
import type { WorkerReport } from './worker-snapshots.ts'

const alone: WorkerReport = { snapshots: [], workers: 1, silent: 0, deaths: 0 }

/** Returns the text of a scrape. */
export type Scrape = () => Promise<string>

export interface ScrapeParts {
  /** Of this process. */
  readonly metrics: ProcessMetrics
  /** Absent if this process serves alone. */
  readonly gatherWorkers?: () => Promise<WorkerReport>
  /** Monotonic clock, milliseconds. */
  readonly now?: () => number
}

/** A scrape takes some milliseconds of CPU time, so there is one a second at most. */
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
