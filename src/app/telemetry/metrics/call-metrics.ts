import type { CallEntry } from '../../../models/calls/call-record.ts'
import { type Database, UnmetChange } from '../../../platform/state/database.ts'
import { DriveError } from '../../../storage/drives/drive-error.ts'
import type { CallRecord, CallSink } from '../calls.ts'
import { Histogram, type SnapshotBuilder } from './snapshot.ts'

/** Calls of a drive, by name and outcome. Reading the bytes of an open object is not counted. */
export class DriveCallMetrics implements CallSink {
  readonly #calls: Record<string, Record<string, number>> = {}

  onCall({ name = '', error }: CallRecord): void {
    this.#calls[name] ??= {}
    const outcomes = this.#calls[name]
    const outcome = outcomeOf(error)
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }

  addTo(snapshot: SnapshotBuilder, drive: string): void {
    for (const [call, outcomes] of Object.entries(this.#calls)) {
      for (const [outcome, count] of Object.entries(outcomes)) {
        snapshot.add('bucketry_drive_calls_total', count, { drive, call, outcome })
      }
    }
  }
}

function outcomeOf(error: unknown): string {
  if (error === undefined) return 'ok'
  return error instanceof DriveError ? error.kind : 'other'
}

/** Seconds: from a row that SQLite has in memory to a statement that times out. */
const databaseBounds = [0.00005, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5]

/** The durations and errors of a database's calls. */
export class DatabaseCallMetrics implements CallSink {
  readonly #database: Pick<Database, 'kind' | 'waiting'>
  readonly #durations = {
    read: new Histogram(databaseBounds),
    write: new Histogram(databaseBounds),
  }
  readonly #errors = { read: 0, write: 0 }

  constructor(database: Pick<Database, 'kind' | 'waiting'>) {
    this.#database = database
  }

  onCall({ name, durationMs, error }: CallRecord): void {
    const call = name === 'write' ? name : 'read'
    // UnmetChange is an ordinary outcome: another writer was first.
    if (error !== undefined && !(error instanceof UnmetChange)) this.#errors[call] += 1
    this.#durations[call].observe(durationMs / 1_000)
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
}

const firstByteBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Model calls of this process. Labels are never keys, connections or models, which have no fixed list of values. */
export class ModelCallMetrics {
  readonly #attempts = new Map<string, number>()
  readonly #firstBytes = new Histogram(firstByteBounds)
  #fallbacks = 0
  #inputTokens = 0
  #outputTokens = 0

  readonly note = ({ path, failed, isFallback, tokens, firstByteMs }: CallEntry): void => {
    const key = JSON.stringify([path, failed ?? 'ok'])
    this.#attempts.set(key, (this.#attempts.get(key) ?? 0) + 1)
    if (isFallback) this.#fallbacks += 1
    this.#inputTokens += tokens?.input ?? 0
    this.#outputTokens += tokens?.output ?? 0
    const hasBegun = failed === undefined || failed === 'broken'
    if (hasBegun) this.#firstBytes.observe(firstByteMs / 1_000)
  }

  addTo(snapshot: SnapshotBuilder): void {
    for (const [key, count] of this.#attempts) {
      const [path, outcome] = JSON.parse(key) as [string, string]
      snapshot.add('bucketry_model_attempts_total', count, { path, outcome })
    }
    snapshot.add('bucketry_model_fallbacks_total', this.#fallbacks)
    snapshot.add('bucketry_model_tokens_total', this.#inputTokens, { direction: 'input' })
    snapshot.add('bucketry_model_tokens_total', this.#outputTokens, { direction: 'output' })
    snapshot.addHistogram('bucketry_model_first_byte_seconds', this.#firstBytes)
  }
}
