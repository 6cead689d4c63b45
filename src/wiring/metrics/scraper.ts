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
}

/** Answers scrapes for all processes. Scrapes at the same time share one answer. */
export function createScrape({ metrics, gatherWorkers }: ScrapeParts): Scrape {
  const ofService = createServiceSource(metrics)
  const gather = async () => {
    const [common, report] = await Promise.all([ofService(), gatherWorkers?.() ?? alone])
    const own = metrics.snapshot()
    return await metricsText([own, common, workersSnapshot(report), ...report.snapshots])
  }
  let running: Promise<string> | undefined
  return () => {
    running ??= gather().finally(() => {
      running = undefined
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
