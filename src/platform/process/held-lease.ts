import { stopwatch } from './time-limit.ts'

export interface HeldLeaseOptions {
  /** See newLeaseOwner. */
  readonly owner: string
  /** When the lease expires unless it is renewed, milliseconds since the epoch. */
  readonly untilMs: number
  /** A lease that is not renewed for this long may be taken by another process. */
  readonly leaseMs: number
  readonly renewEveryMs: number
  /** No work starts this close to the expiry, because its effects take time to arrive. Default: 0. */
  readonly safetyMarginMs?: number
  /**
   * Wall clock, milliseconds since the epoch; about the same in all processes that share the
   * database.
   */
  readonly now: () => number
  /** Extends the lease in the database; false when another process has it. */
  readonly renew: (untilMs: number) => Promise<boolean>
  /** The reason for `lost` when `renew` was refused or the lease expired. */
  readonly lostReason: () => unknown
}

/**
 * A lease that this process holds, stored as a row in the database. `keep` renews it on a timer
 * until `end`.
 */
export class HeldLease {
  readonly owner: string
  readonly #options: HeldLeaseOptions
  readonly #lost = new AbortController()
  readonly #ended = new AbortController()
  #untilMs: number
  /** Milliseconds since the lease was taken or renewed. */
  #ageMs = stopwatch()
  #timer: NodeJS.Timeout | undefined

  constructor(options: HeldLeaseOptions) {
    this.#options = options
    this.owner = options.owner
    this.#untilMs = options.untilMs
  }

  /** Aborts when the lease is lost: another process may be at work. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  /** Aborts when the lease is lost, or `end` was called. */
  get ended(): AbortSignal {
    return this.#ended.signal
  }

  /**
   * Whether no other process can have the lease. If this process or its machine was suspended, this detects
   * that the lease has expired, before a renewal could be refused.
   */
  get isHeld(): boolean {
    const { now, leaseMs, safetyMarginMs = 0 } = this.#options
    if (this.#lost.signal.aborted || this.#ageMs() > leaseMs - safetyMarginMs) return false
    return now() <= this.#untilMs - safetyMarginMs
  }

  /**
   * Call it before each step that only the holder may take.
   *
   * @throws the reason for `lost`
   */
  assertHeld(): void {
    if (this.isHeld) return
    this.lose(this.#options.lostReason())
    this.#lost.signal.throwIfAborted()
  }

  /** Like `assertHeld`, but first renews a lease that expired, as on a busy machine, unless another process took it. */
  async confirm(): Promise<void> {
    if (!this.isHeld && !this.#ended.signal.aborted) await this.#renew().catch(() => undefined)
    this.assertHeld()
  }

  /** Renews the lease on a timer, regardless of the clock. */
  keep(): void {
    this.#timer = setTimeout(async () => {
      // The database may respond again before the lease ends; if not, `isHeld` becomes false.
      await this.#renew().catch(() => undefined)
      if (!this.#ended.signal.aborted) this.keep()
    }, this.#options.renewEveryMs)
    this.#timer.unref()
  }

  lose(reason: unknown): void {
    this.end()
    this.#lost.abort(reason)
  }

  /** Stops renewing. */
  end(): void {
    clearTimeout(this.#timer)
    this.#ended.abort()
  }

  async #renew(): Promise<void> {
    const { now, leaseMs, renew, lostReason } = this.#options
    const untilMs = now() + leaseMs
    const ageMs = stopwatch()
    if (await renew(untilMs)) {
      this.#untilMs = untilMs
      this.#ageMs = ageMs
    } else this.lose(lostReason())
  }
}
