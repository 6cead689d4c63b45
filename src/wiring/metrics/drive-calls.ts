import { DriveError } from '../../drives/drive.ts'
import type { SnapshotBuilder } from './snapshot.ts'

/** Calls of a drive, by name and outcome. */
export class DriveCalls {
  readonly #calls: Record<string, Record<string, number>> = {}

  /** Counts a call when its result is there, and returns the result unchanged. */
  count<Result>(call: string, result: Result): Result {
    if (!(result instanceof Promise)) {
      this.#increment(call, 'ok')
      return result
    }
    result.then(
      () => this.#increment(call, 'ok'),
      (error: unknown) => this.#increment(call, error instanceof DriveError ? error.kind : 'other'),
    )
    return result
  }

  addTo(snapshot: SnapshotBuilder, drive: string): void {
    for (const [call, outcomes] of Object.entries(this.#calls)) {
      for (const [outcome, count] of Object.entries(outcomes)) {
        snapshot.add('bucketry_drive_calls_total', count, { drive, call, outcome })
      }
    }
  }

  #increment(call: string, outcome: string): void {
    this.#calls[call] ??= {}
    const outcomes = this.#calls[call]
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
}
