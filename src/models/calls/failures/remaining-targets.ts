import type { CallTarget } from '../../list/resolve-model.ts'
import type { ErrorAnswer } from '../attempt.ts'
import { isTranslated } from '../translated-targets.ts'
import type { FailureRow } from './failure-rows.ts'
import type { Failure } from './failures.ts'
import type { Pause, Pauses, Sender } from './pauses.ts'

/** An attempt that failed, with the upstream's answer if there was one. */
export interface FailedAttempt {
  readonly failure: Failure
  readonly answer: ErrorAnswer | undefined
}

export interface PausedTarget extends Pause {
  readonly row: FailureRow
}

/** A request that fails on so many targets for no reason of theirs is not sent to more. */
const maxMoments = 3
/** No attempt begins later: SDKs give up after ten minutes. */
const maxTriesMs = 15 * 60_000

/** Failures of a moment after which the same target is tried once more, if it is the only one. */
const repeatable: ReadonlySet<number> = new Set([500, 502, 503, 529])

/** Which targets of a call are left, and what has been learnt from those that failed. */
export class RemainingTargets {
  readonly #targets: readonly CallTarget[]
  readonly #pauseOf: (target: CallTarget) => PausedTarget | undefined
  readonly #waitMs: (target: CallTarget) => number
  #left: readonly CallTarget[]
  #moments = 0
  readonly #startedAtMs = performance.now()
  attempts = 0
  /** The failure that the client hears of, if no target answers. */
  failed: FailedAttempt | undefined

  constructor(
    targets: readonly CallTarget[],
    given: {
      readonly pauses: Pauses
      readonly pathOf: (target: CallTarget) => string
      readonly sender: Sender
    },
  ) {
    this.#targets = targets
    this.#left = targets
    const { pauses, pathOf, sender } = given
    this.#pauseOf = (target) => pauses.pauseOf(target, pathOf(target), sender)
    this.#waitMs = (target) => pauses.waitMs(target, pathOf(target), sender)
  }

  /** The target of the next attempt; undefined: none is left. A target that failed a moment ago is the last resort. */
  get next(): CallTarget | undefined {
    const callable = this.#callable
    return (callable.find(({ pause }) => pause === undefined) ?? callable[0])?.target
  }

  get #callable() {
    return this.#left.flatMap((target) => {
      const pause = this.#pauseOf(target)
      return pause === undefined || pause.row.isLastResort ? [{ target, pause }] : []
    })
  }

  /** Counts an attempt. */
  take(target: CallTarget): void {
    this.attempts += 1
    this.leaveOut(target)
  }

  leaveOut(target: CallTarget): void {
    this.#left = this.#left.filter((one) => one !== target)
  }

  /**
   * Drops the targets that are not tried after this failure.
   *
   * @param isRepeatable whether the request can be sent again
   */
  fail(target: CallTarget, attempt: FailedAttempt, isRepeatable: boolean): void {
    const { row } = attempt.failure
    if (this.failed === undefined || rankOf(row) > rankOf(this.failed.failure.row)) {
      this.failed = attempt
    }
    if (row.scope === 'moment') this.#moments += 1
    const isOver = this.#moments >= maxMoments || performance.now() - this.#startedAtMs > maxTriesMs
    if (row.next === 'none' || isOver || !isRepeatable) this.#left = []
    if (row.next === 'models') {
      this.#left = this.#left.filter(({ listedId }) => listedId !== target.listedId)
    }
  }

  /** Whether a failed target is tried once more: it is the only one, and did not fail for others as well. */
  repeats(target: CallTarget, { row, status }: Failure): boolean {
    return (
      this.attempts === 1 &&
      // The same one in another API is called only if it does not have the path.
      this.#callable.every(({ target: other }) => isTranslated(other) && other.native === target) &&
      row.scope === 'moment' &&
      repeatable.has(status) &&
      this.#pauseOf(target) === undefined
    )
  }

  /** Whether the call may succeed later although it fails now. */
  get mayPass(): boolean {
    const rows = [this.failed?.failure, ...this.paused].flatMap((one) => one?.row ?? [])
    return rows.some(({ scope }) => scope !== 'request' && scope !== 'model')
  }

  /** The targets that are paused, the one whose pause ends first in front. */
  get paused(): readonly PausedTarget[] {
    return this.#targets
      .flatMap((target) => this.#pauseOf(target) ?? [])
      .toSorted((a, b) => a.untilMs - b.untilMs)
  }

  /** Milliseconds until a target may be called without regard to a pause. */
  get waitMs(): number {
    return Math.min(...this.#targets.map((target) => this.#waitMs(target)))
  }
}

/** An answer that ends the call is preferred to one that concerns the request, and that to others. */
function rankOf({ next, scope }: FailureRow): number {
  if (next === 'none') return 2
  return scope === 'request' || scope === 'model' ? 1 : 0
}
