import { countersOf, mergeSnapshots, type Snapshot } from './snapshot.ts'

/** The metrics that the workers have reported. */
export interface WorkerReport {
  readonly snapshots: readonly Snapshot[]
  readonly workers: number
  /** The number of workers that did not answer in time. */
  readonly silent: number
  readonly deaths: number
}

/** Maximum time that a scrape waits for the workers' answers. */
const defaultTimeoutMs = 2_000

interface RunningScrape {
  /** Workers that were asked and are still alive. */
  readonly alive: Set<number>
  /** Workers that have not answered yet. */
  readonly missing: Set<number>
  readonly complete: () => void
}

/**
 * The latest metrics of each worker. Counters of dead workers are kept: if a sum decreased, Prometheus
 * would count its whole value as new events. Counts since a worker's last answer are lost when the
 * worker dies.
 */
export class WorkerSnapshots {
  readonly #timeoutMs: number
  readonly #latest = new Map<number, Snapshot>()
  #ofDead: readonly Snapshot[] = []
  #deaths = 0
  /** Scrapes that are waiting for workers. */
  readonly #scrapes = new Set<RunningScrape>()

  constructor(timeoutMs = defaultTimeoutMs) {
    this.#timeoutMs = timeoutMs
  }

  /** Asks the workers. Resolves when all have answered or died, or after the time limit. */
  async gather(workers: readonly number[], ask: (worker: number) => void): Promise<WorkerReport> {
    const { promise, resolve: complete } = Promise.withResolvers<void>()
    const scrape = { alive: new Set(workers), missing: new Set(workers), complete }
    const timer = setTimeout(complete, this.#timeoutMs)
    this.#scrapes.add(scrape)
    for (const worker of workers) ask(worker)
    if (workers.length > 0) await promise
    clearTimeout(timer)
    this.#scrapes.delete(scrape)
    if (this.#ofDead.length > 1) {
      const merging = this.#ofDead
      const merged = await mergeSnapshots(merging)
      // More workers may have died in the meantime.
      this.#ofDead = [merged, ...this.#ofDead.slice(merging.length)]
    }
    return {
      snapshots: [...this.#ofDead, ...this.#latest.values()],
      workers: scrape.alive.size,
      silent: scrape.missing.size,
      deaths: this.#deaths,
    }
  }

  receive(worker: number, snapshot: Snapshot): void {
    this.#latest.set(worker, snapshot)
    this.#answered(worker)
  }

  /** A worker ended unexpectedly. */
  died(worker: number): void {
    this.#deaths += 1
    this.left(worker)
  }

  left(worker: number): void {
    const latest = this.#latest.get(worker)
    this.#latest.delete(worker)
    if (latest !== undefined) this.#ofDead = [...this.#ofDead, countersOf(latest)]
    for (const { alive } of this.#scrapes) alive.delete(worker)
    this.#answered(worker)
  }

  #answered(worker: number): void {
    for (const { missing, complete } of this.#scrapes) {
      missing.delete(worker)
      if (missing.size === 0) complete()
    }
  }
}
