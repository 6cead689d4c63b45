import type { Log } from '../process/log.ts'
import type { Database } from './database.ts'

/** The interval of separate measurements. Other statements also measure the difference. */
const everyMs = 60_000
/** Maximum duration of a good measurement. A start measures again if it took longer. */
const validMs = 1_000
const attempts = 3
/** A larger change against the monotonic clock means that a clock was set, or that this machine slept. */
const jumpMs = 500

/** Called with every measurement of the difference by which the database's clock is ahead of this machine's. */
type OnMeasured = (aheadMs: number) => void

/**
 * The time of all processes that share a database: an estimate of the time on the database's machine.
 * With their own clocks, gateways could disagree on whether a lease has ended. Between measurements it
 * follows the monotonic clock, so that setting this machine's clock does not end leases of other processes.
 */
export class DatabaseClock {
  readonly #database: Database
  readonly #onMeasured: OnMeasured
  readonly #timer: NodeJS.Timeout | undefined
  /** Undefined if the database is on this machine. */
  #ahead: { readonly ofMonotonicMs: number; readonly wallMs: number } | undefined
  /** Duration of the measurement that set `#ahead`. */
  #tookMs = Number.POSITIVE_INFINITY
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
      for (let attempt = 1; attempt < attempts && clock.#tookMs > validMs; attempt++) {
        await clock.#measure()
      }
      return clock
    } catch (error) {
      clock.stop()
      throw error
    }
  }

  /** The difference by which the database's clock is ahead of this machine's; negative when it is behind. */
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

  /**
   * Takes a reply of the database with its time. `askedAtMs` and `answeredAtMs` are by the monotonic clock; the database
   * read its time at some moment between them. The estimate is kept if it can be right. If it is wrong by less than
   * `jumpMs`, it moves to the nearest time that can be right. If it is wrong by more, as after a clock was set, it is
   * replaced. This way, a slow reply does not make a good estimate worse.
   */
  readonly observe = (timeMs: number, askedAtMs: number, answeredAtMs: number): void => {
    const tookMs = answeredAtMs - askedAtMs
    const [min, max] = [timeMs - answeredAtMs, timeMs - askedAtMs]
    const wallMs = Date.now() - performance.now()
    const current = this.#ahead?.ofMonotonicMs ?? Number.NEGATIVE_INFINITY
    const nearest = Math.min(Math.max(current, min), max)
    // At the start, the fastest reply is the best.
    const isBetter = this.#tookMs > validMs && tookMs < this.#tookMs
    const isReplaced = isBetter || Math.abs(nearest - current) > jumpMs
    if (isReplaced) this.#tookMs = tookMs
    this.#ahead = { ofMonotonicMs: isReplaced ? (min + max) / 2 : nearest, wallMs }
    this.#onMeasured(Math.round(this.#ahead.ofMonotonicMs - wallMs))
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Ignores failures: while the database is not responding, no process can get a lease anyway. */
  async #measureAgain(): Promise<void> {
    if (this.#isMeasuring) return
    this.#isMeasuring = true
    await this.#measure().catch(() => undefined)
    this.#isMeasuring = false
  }

  async #measure(): Promise<void> {
    const askedAtMs = performance.now()
    const timeMs = await this.#database.clockMs?.()
    if (timeMs !== undefined) this.observe(timeMs, askedAtMs, performance.now())
  }
}

/** Synchronized clocks differ by less, including network delay. */
const strangeMs = 2_000
/** Lower than the limit above, so that a clock close to it is not logged at every measurement. */
const agreedMs = 1_000

/**
 * Starts the clock for leases, by which no remote holder seems dead because a clock is wrong. Signatures still depend
 * on this machine's clock, so the first sign of a difference is logged.
 */
export function startClock(database: Database, log: Log): Promise<DatabaseClock> {
  let wasStrange = false
  return DatabaseClock.start(database, (aheadMs) => {
    const isStrange = Math.abs(aheadMs) > (wasStrange ? agreedMs : strangeMs)
    if (isStrange && !wasStrange) {
      log.warn(
        { aheadMs },
        "the database's clock differs from this machine's: synchronize both with NTP",
      )
    } else if (wasStrange && !isStrange) {
      log.info({ aheadMs }, "the database's clock agrees with this machine's again")
    }
    wasStrange = isStrange
  })
}
