import { setTimeout as delay } from 'node:timers/promises'
import { type BackOff, backOffMs } from '../../../../platform/process/back-off.ts'
import { type DriveError, PrivateDriveError } from '../../drive-error.ts'

/** Time and randomness; tests inject their own. */
export interface Clock {
  /** Milliseconds since the epoch. The clock may be set back or forward at any moment. */
  now(): number
  /** Milliseconds of a clock that is never set back: for durations. */
  elapsed(): number
  /** @throws the signal's reason when it aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<void>
  /** From 0 up to but not including 1. */
  random(): number
}

export const systemClock: Clock = {
  now: Date.now,
  elapsed: () => performance.now(),
  random: Math.random,
  async wait(ms, signal) {
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal })
    } catch (error) {
      // Node's error does not contain the signal's reason.
      throw signal?.aborted ? signal.reason : error
    }
  },
}

/** Why an attempt failed although the next one may succeed. */
export type TransientErrorReason =
  /** The service demands fewer requests. */
  | 'rate'
  /** The service failed, with a status such as 5xx or an invalid response. */
  | 'server'
  /** There was no response, or only a part of one. */
  | 'network'

/** An attempt failed; a retry may succeed. Callers of a drive get a DriveError (`driveErrorOf`). */
export class TransientError extends Error {
  readonly reason: TransientErrorReason
  /** Milliseconds to wait, according to the service. */
  readonly retryAfterMs: number | undefined

  /** @param message what went wrong, such as `503 backendError`; it must contain no secret. */
  constructor(
    reason: TransientErrorReason,
    message: string,
    options: ErrorOptions & { readonly retryAfterMs?: number | undefined } = {},
  ) {
    super(message, options)
    this.name = 'TransientError'
    this.reason = reason
    this.retryAfterMs = options.retryAfterMs
  }
}

/** How many attempts were repeated, by the reason of the failure. */
export type RetryCounts = Record<TransientErrorReason, number>

export function noRetries(): RetryCounts {
  return { rate: 0, server: 0, network: 0 }
}

/** Logged when a failed attempt is repeated. It contains no secrets. */
export interface RetryNote {
  /** Such as `list files`. */
  readonly doing: string
  readonly failures: number
  readonly waitMs: number
  readonly error: string
}

export interface RetryPolicyOptions {
  /** For people, such as `Google Drive`. */
  readonly service: string
  readonly clock: Clock
  /** How long attempts are repeated. */
  readonly retryForMs: number
  readonly backOff: BackOff
  /** Called when the service demands fewer requests: other calls may also have to wait. */
  readonly onRateLimit?: ((waitMs: number, call: RetriedCall) => void) | undefined
  readonly onRetry?: ((note: RetryNote) => void) | undefined
  /** Counts repeated attempts. */
  readonly counts?: RetryCounts
}

export interface RetriedCall {
  /** For people, such as `list files`. */
  readonly doing: string
  readonly signal?: AbortSignal | undefined
  /** Whether it sends file content. */
  readonly isUpload?: boolean | undefined
}

/** The attempts of one call: how many, how long, and how long to wait between them. */
export class RetryPolicy {
  readonly #options: RetryPolicyOptions
  readonly #call: RetriedCall
  #failures = 0
  #deadlineMs: number

  constructor(options: RetryPolicyOptions, call: RetriedCall) {
    this.#options = options
    this.#call = call
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
   * @throws DriveError if there is no time for another attempt; the signal's reason.
   */
  async pause(error: TransientError): Promise<void> {
    const { service } = this.#options
    const { waitMs, isOver } = this.fail(error)
    if (isOver) throw driveErrorOf(error, { service, doing: this.#call.doing, waitMs })
    await this.wait(waitMs)
  }

  /** Counts a failure, for callers that decide themselves whether to wait or give up. */
  fail(error: TransientError): { readonly waitMs: number; readonly isOver: boolean } {
    const { clock, backOff, onRateLimit, onRetry, counts } = this.#options
    this.#failures++
    const ownMs = backOffMs(this.#failures, backOff, () => clock.random())
    const waitMs = Math.max(ownMs, error.retryAfterMs ?? 0)
    if (error.reason === 'rate') onRateLimit?.(waitMs, this.#call)
    const isOver = clock.elapsed() + waitMs > this.#deadlineMs
    const { doing } = this.#call
    if (!isOver && counts !== undefined) counts[error.reason] += 1
    if (!isOver) onRetry?.({ doing, failures: this.#failures, waitMs, error: error.message })
    return { waitMs, isOver }
  }

  /** @throws the signal's reason. */
  async wait(ms: number): Promise<void> {
    await this.#options.clock.wait(ms, this.#call.signal)
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

interface FailedAttempts {
  /** For people, such as `Google Drive`. */
  readonly service: string
  /** For people, such as `list files`. */
  readonly doing: string
  /** Milliseconds after which another attempt makes sense. */
  readonly waitMs: number
}

/** The error for callers of a drive when there is no time for another attempt. */
export function driveErrorOf(
  error: TransientError,
  { service, doing, waitMs }: FailedAttempts,
): DriveError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  const { message, reason } = error
  const causes = {
    rate: `the API quota is exceeded (${message}). Try again in ${retryAfterSeconds} s.`,
    server: `server error (${message}). Try again later.`,
    network: `no response (${message}). Check the network and try again.`,
  }
  return new PrivateDriveError(
    reason === 'rate' ? 'busy' : 'unavailable',
    `${service} could not ${doing}: ${causes[reason]}`,
    { cause: error, retryAfterSeconds },
  )
}
