import type { Drive } from '../../../storage/drives/drive.ts'
import { DriveError } from '../../../storage/drives/drive-error.ts'
import { countedCalls } from '../drive-calls.ts'
import { type Observer, observed } from '../observed.ts'
import type { SnapshotBuilder } from './snapshot.ts'

/** Calls of a drive, by name and outcome. Reading the bytes of an open object is not counted. */
export class CallCounts implements Observer {
  readonly #calls: Record<string, Record<string, number>> = {}

  of(drive: Drive): Drive {
    return observed(drive, countedCalls, this)
  }

  /** Counts a call when its result is there. */
  call<Result>(name: string, _given: readonly unknown[], work: () => Result): Result {
    const result = work()
    if (!(result instanceof Promise)) {
      this.#increment(name, 'ok')
      return result
    }
    result.then(
      () => this.#increment(name, 'ok'),
      (error: unknown) => this.#increment(name, error instanceof DriveError ? error.kind : 'other'),
    )
    return result
  }

  ofResult(): Observer {
    return this
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
