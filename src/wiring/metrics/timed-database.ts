import {
  type CallOptions,
  type Database,
  type SqlValue,
  type Statement,
  UnmetChange,
  type WriteResult,
} from '../../state/database.ts'
import { Histogram } from './histogram.ts'
import type { SnapshotBuilder } from './snapshot.ts'

/** Seconds: from a row of SQLite in memory to a statement that times out. */
const durationBounds = [0.00005, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5]

type Call = 'read' | 'write'

/** A database whose calls are timed. */
export class TimedDatabase implements Database {
  readonly clockMs?: NonNullable<Database['clockMs']>
  readonly clockSql?: string
  readonly subscribe?: NonNullable<Database['subscribe']>
  readonly #database: Database
  readonly #durations = {
    read: new Histogram(durationBounds),
    write: new Histogram(durationBounds),
  }
  readonly #errors = { read: 0, write: 0 }

  constructor(database: Database) {
    this.#database = database
    if (database.clockSql !== undefined) this.clockSql = database.clockSql
    if (database.clockMs !== undefined) this.clockMs = database.clockMs.bind(database)
    if (database.subscribe !== undefined) this.subscribe = database.subscribe.bind(database)
  }

  get kind(): string {
    return this.#database.kind
  }

  get waiting(): number {
    return this.#database.waiting ?? 0
  }

  read<Row>(sql: string, params?: readonly SqlValue[], options?: CallOptions): Promise<Row[]> {
    return this.#time('read', () => this.#database.read<Row>(sql, params, options))
  }

  write(statements: readonly Statement[], options?: CallOptions): Promise<WriteResult[]> {
    return this.#time('write', () => this.#database.write(statements, options))
  }

  check(): Promise<void> {
    return this.#time('read', () => this.#database.check())
  }

  close(): Promise<void> {
    return this.#database.close()
  }

  addTo(snapshot: SnapshotBuilder): void {
    for (const call of ['read', 'write'] as const) {
      const labels = { engine: this.kind, call }
      const durations = this.#durations[call]
      snapshot.addHistogram('bucketry_database_call_duration_seconds', durations, labels)
      snapshot.add('bucketry_database_errors_total', this.#errors[call], labels)
    }
    snapshot.add('bucketry_queue_length', this.waiting, { queue: 'database' })
  }

  async #time<Result>(call: Call, work: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now()
    try {
      return await work()
    } catch (error) {
      // Another writer was first, which is an ordinary outcome.
      if (!(error instanceof UnmetChange)) this.#errors[call] += 1
      throw error
    } finally {
      this.#durations[call].observe((performance.now() - startedAt) / 1_000)
    }
  }
}
