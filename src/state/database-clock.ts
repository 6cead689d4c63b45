import type { Database } from './database.ts'

/** How often the difference is measured, and the longest time of a measurement that counts. */
const everyMs = 60_000
const validMs = 1_000
const attempts = 3
/** This machine's clock was set, or the machine slept, when it moves by more against the monotonic one. */
const jumpMs = 500

/** Called with every measurement: by how much the database's clock is ahead of this machine's. */
export type OnMeasured = (aheadMs: number) => void

/**
 * The time of all processes that share a database: an estimate of the time on the database's machine.
 * With their own clocks, gateways could disagree on whether a lease has ended. Between measurements it
 * follows the monotonic clock, so that setting this machine's clock does not end the leases of others.
 */
export class DatabaseClock {
  readonly #database: Database
  readonly #onMeasured: OnMeasured
  readonly #timer: NodeJS.Timeout | undefined
  /** Undefined: the database is on this machine. */
  #ahead: { readonly ofMonotonicMs: number; readonly wallMs: number } | undefined
  #isMeasuring = false

  private constructor(database: Database, onMeasured: OnMeasured) {
    this.#database = database
    this.#onMeasured = onMeasured
    if (database.clockMs === undefined) return
    this.#timer = setInterval(() => void this.#measureAgain(), everyMs)
    this.#timer.unref()
  }

  /** @throws DatabaseError when the database does not respond */
  static async start(
    database: Database,
    onMeasured: OnMeasured = () => undefined,
  ): Promise<DatabaseClock> {
    const clock = new DatabaseClock(database, onMeasured)
    try {
      await clock.#measure()
      return clock
    } catch (error) {
      clock.stop()
      throw error
    }
  }

  /** By how much the database's clock is ahead of this machine's; negative when it is behind. */
  get aheadMs(): number {
    return this.now() - Date.now()
  }

  /** Milliseconds since the epoch. */
  readonly now = (): number => {
    if (this.#ahead === undefined) return Date.now()
    const { ofMonotonicMs, wallMs } = this.#ahead
    const monotonicMs = performance.now()
    if (Math.abs(Date.now() - monotonicMs - wallMs) > jumpMs) void this.#measureAgain()
    return Math.round(monotonicMs + ofMonotonicMs)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** While the database is not responding, no process gets a lease either. */
  async #measureAgain(): Promise<void> {
    if (this.#isMeasuring) return
    this.#isMeasuring = true
    await this.#measure().catch(() => undefined)
    this.#isMeasuring = false
  }

  /** The time is that of a moment between request and response: a late response is inaccurate. */
  async #measure(): Promise<void> {
    let best: Measurement | undefined
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const startedAt = performance.now()
      const time = await this.#database.clockMs?.()
      if (time === undefined) return
      const endedAt = performance.now()
      const tookMs = endedAt - startedAt
      if (tookMs < (best?.tookMs ?? Number.POSITIVE_INFINITY)) {
        best = { tookMs, ofMonotonicMs: time - (startedAt + endedAt) / 2 }
      }
      if (tookMs <= validMs) break
    }
    // A former estimate is better than an inaccurate one.
    if (best === undefined || (best.tookMs > validMs && this.#ahead !== undefined)) return
    const { ofMonotonicMs } = best
    this.#ahead = { ofMonotonicMs, wallMs: Date.now() - performance.now() }
    this.#onMeasured(Math.round(ofMonotonicMs - this.#ahead.wallMs))
  }
}

interface Measurement {
  readonly tookMs: number
  readonly ofMonotonicMs: number
}
