import { DriveError } from '../../drive-error.ts'
import type { Clock } from '../../kit/cloud/retry-policy.ts'

/** Kinds of calls that Google's quota distinguishes. */
export type Cost = 'get' | 'list' | 'download' | 'update' | 'other'

/** Google's quota for a user, and the cost of calls. */
export interface Quota {
  /** The quota of one credential, or this process's share of it. */
  readonly unitsPerMinute: number
  /** How many parties divide `unitsPerMinute` evenly now. Absent: one. */
  readonly sharedBy?: () => number
  readonly costs: Readonly<Record<Cost, number>>
}

/**
 * Google's quota per minute and user since 2026-05-01 (developers.google.com/workspace/drive/api/guides/limits).
 * Older projects count calls: 12,000 a minute.
 */
export const defaultQuota: Quota = {
  unitsPerMinute: 325_000,
  costs: { get: 5, list: 100, download: 200, update: 50, other: 5 },
}

/** The part of a minute's units that is available immediately. The rest is spread over the minute. */
const burstShare = 0.2
const burstMs = (60_000 * burstShare) / (1 - burstShare)

export interface TakeOptions {
  /** `take` rejects immediately if the units are not available by then, by Clock.elapsed. */
  readonly deadlineMs: number
  readonly signal?: AbortSignal | undefined
  /** Whether the call sends file content. */
  readonly isUpload?: boolean | undefined
}

/**
 * Limits the calls of one credential with a leaky bucket, in units of Google's quota. Calls are
 * served in order, and a call that can't be served in time is rejected immediately.
 */
export class RateBudget {
  readonly #quota: Quota
  readonly #clock: Clock
  /** When the bucket will be full, so that a whole burst is available. */
  #fullAtMs = Number.NEGATIVE_INFINITY
  #pausedUntilMs = Number.NEGATIVE_INFINITY
  #uploadsPausedUntilMs = Number.NEGATIVE_INFINITY

  constructor(quota: Quota, clock: Clock) {
    this.#quota = quota
    this.#clock = clock
  }

  /**
   * Resolves when the call may be sent.
   *
   * @throws DriveError `busy` if that would be after the deadline; the signal's reason.
   */
  async take(cost: Cost, options: TakeOptions): Promise<void> {
    const { deadlineMs, signal } = options
    signal?.throwIfAborted()
    const now = this.#clock.elapsed()
    const costMs = this.#quota.costs[cost] / this.#unitsPerMs()
    const fullAtMs = Math.max(this.#fullAtMs, now) + costMs
    const startMs = Math.max(fullAtMs - burstMs, this.#pauseEndMs(options))
    if (startMs <= now) {
      this.#fullAtMs = fullAtMs
      return
    }
    if (startMs > deadlineMs) throw exhausted(startMs - now)
    this.#fullAtMs = fullAtMs
    try {
      await this.#clock.wait(startMs - now, signal)
    } catch (error) {
      this.#fullAtMs -= costMs
      throw error
    }
    await this.#outsidePauses(options)
  }

  /**
   * Pauses all calls after Google reported too many. If the call was an upload, only uploads pause,
   * because Google reports the daily limit of 750 GB of uploads with the same error.
   */
  pause(ms: number, { isUpload = false }: Pick<TakeOptions, 'isUpload'> = {}): void {
    const untilMs = this.#clock.elapsed() + ms
    if (isUpload) this.#uploadsPausedUntilMs = Math.max(this.#uploadsPausedUntilMs, untilMs)
    else this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs)
  }

  #unitsPerMs(): number {
    const { unitsPerMinute, sharedBy } = this.#quota
    return (unitsPerMinute * (1 - burstShare)) / 60_000 / Math.max(1, sharedBy?.() ?? 1)
  }

  #pauseEndMs({ isUpload = false }: TakeOptions): number {
    if (!isUpload) return this.#pausedUntilMs
    return Math.max(this.#pausedUntilMs, this.#uploadsPausedUntilMs)
  }

  /** Waits for pauses that began during the wait. */
  async #outsidePauses(options: TakeOptions): Promise<void> {
    for (;;) {
      const waitMs = this.#pauseEndMs(options) - this.#clock.elapsed()
      if (waitMs <= 0) return
      if (this.#pauseEndMs(options) > options.deadlineMs) throw exhausted(waitMs)
      await this.#clock.wait(waitMs, options.signal)
    }
  }
}

function exhausted(waitMs: number): DriveError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new DriveError(
    'busy',
    `The Google Drive API quota is used up. Try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  )
}
