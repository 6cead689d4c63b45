import { type Database, UnmetChange } from '../../../platform/state/database.ts'
import { type Observed, type Observer, observed } from '../observed.ts'
import { Histogram, type SnapshotBuilder } from './snapshot.ts'

/** Seconds: from a row of SQLite in memory to a statement that times out. */
const durationBounds = [0.00005, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5]

const timedCalls = {
  read: { name: 'read' },
  write: { name: 'write' },
  check: { name: 'read' },
} satisfies Observed

/** The durations and errors of a database's calls. */
export class CallTimes implements Observer {
  readonly #database: Database
  readonly #durations = {
    read: new Histogram(durationBounds),
    write: new Histogram(durationBounds),
  }
  readonly #errors = { read: 0, write: 0 }

  constructor(database: Database) {
    this.#database = database
  }

  get timed(): Database {
    return observed(this.#database, timedCalls, this)
  }

  call<Result>(name: string, _given: readonly unknown[], work: () => Result): Result {
    const startedAt = performance.now()
    const result = work()
    void this.#finish(name === 'write' ? name : 'read', startedAt, result)
    return result
  }

  ofResult(): undefined {
    return undefined
  }

  addTo(snapshot: SnapshotBuilder): void {
    const { kind, waiting = 0 } = this.#database
    for (const call of ['read', 'write'] as const) {
      const labels = { engine: kind, call }
      const durations = this.#durations[call]
      snapshot.addHistogram('bucketry_database_call_duration_seconds', durations, labels)
      snapshot.add('bucketry_database_errors_total', this.#errors[call], labels)
    }
    snapshot.add('bucketry_queue_length', waiting, { queue: 'database' })
  }

  async #finish(call: 'read' | 'write', startedAt: number, result: unknown): Promise<void> {
    try {
      await result
    } catch (error) {
      // Another writer was first, which is an ordinary outcome.
      if (!(error instanceof UnmetChange)) this.#errors[call] += 1
    } finally {
      this.#durations[call].observe((performance.now() - startedAt) / 1_000)
    }
  }
}
