import { backOffMs } from './back-off.ts'
import type { Clock } from './clock.ts'
import type { RateBudget } from './rate-budget.ts'
import { driveErrorOf, TransientError } from './transient-error.ts'

/** For the log: an attempt failed and is repeated. Nothing in it is secret. */
export interface RetryNote {
  /** Such as `list files`. */
  readonly doing: string
  readonly failures: number
  readonly waitMs: number
  readonly error: string
}

export interface RetryPolicyOptions {
  readonly clock: Clock
  /** How long attempts are repeated. */
  readonly retryForMs: number
  readonly budget: RateBudget
  readonly onRetry?: ((note: RetryNote) => void) | undefined
}

export interface RetriedCall {
  /** For people, such as `list files`. */
  readonly doing: string
  readonly signal?: AbortSignal | undefined
  /** Whether it brings bytes. */
  readonly isUpload?: boolean | undefined
}

/** Time for one retriedCall: how often and how long it is tried. */
export class RetryPolicy {
  readonly #options: RetryPolicyOptions
  readonly #retriedCall: RetriedCall
  #failures = 0
  #deadlineMs: number

  constructor(options: RetryPolicyOptions, retriedCall: RetriedCall) {
    this.#options = options
    this.#retriedCall = retriedCall
    this.#deadlineMs = options.clock.elapsed() + options.retryForMs
  }

  /** By Clock.elapsed. */
  get deadlineMs(): number {
    return this.#deadlineMs
  }

  get failures(): number {
    return this.#failures
  }

  /** Progress was made: restart the time limit. */
  renew(): void {
    this.#failures = 0
    this.#deadlineMs = this.#options.clock.elapsed() + this.#options.retryForMs
  }

  /**
   * Waits before the next attempt.
   *
   * @throws DriveError when there is no time for another; the signal's reason.
   */
  async pause(transientError: TransientError): Promise<void> {
    const { clock, budget, onRetry } = this.#options
    const { doing, signal, isUpload } = this.#retriedCall
    this.#failures++
    const ownMs = backOffMs(this.#failures, () => clock.random())
    const waitMs = Math.max(ownMs, transientError.retryAfterMs ?? 0)
    if (transientError.reason === 'rate') budget.pause(waitMs, { isUpload })
    if (clock.elapsed() + waitMs > this.#deadlineMs)
      throw driveErrorOf(transientError, doing, waitMs)
    onRetry?.({ doing, failures: this.#failures, waitMs, error: transientError.message })
    await clock.wait(waitMs, signal)
  }

  /** Retries the work until it succeeds, fails permanently, or time runs out. */
  async persist<Result>(work: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof TransientError)) throw error
        await this.pause(error)
      }
    }
  }
}
