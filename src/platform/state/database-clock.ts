import type { Log } from '../process/log.ts'
import type { Database } from './database.ts'

/** The interval of separate measurements. Other statements also measure the difference. */
const everyMs = 60_000
/** A start measures again if a measurement took longer. */
const validMs = 1_000
const attempts = 3
/** A clock was set, or this machine slept, when it moves by more against the monotonic one. */
const jumpMs = 500

/** Called with every measurement: by how much the database's clock is ahead of this machine's. */
type OnMeasured = (aheadMs: number) => void

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

  /**
   * Takes a reply of the database with its time. `askedAtMs` and `answeredAtMs` are by the monotonic clock; the database
   * read its time at any moment between them. An estimate that can be right stays. One that is wrong by less than
   * `jumpMs` moves to the nearest time that can be right. One that is wrong by more is replaced, for example after a clock
   * was set. So a slow reply does not make a good estimate worse.
   */
  readonly observe = (timeMs: number, askedAtMs: number, answeredAtMs: number): void => {
    const tookMs = answeredAtMs - askedAtMs
    const [min, max] = [timeMs - answeredAtMs, timeMs - askedAtMs]
    const wallMs = Date.now() - performance.now()
    const current = this.#ahead?.ofMonotonicMs ?? Number.NEGATIVE_INFINITY
    const nearest = Math.min(Math.max(current, min), max)
    // At the start, the fastest reply counts.
    const isBetter = this.#tookMs > validMs && tookMs < this.#tookMs
    const isReplaced = isBetter || Math.abs(nearest - current) > jumpMs
    if (isReplaced) this.#tookMs = tookMs
    this.#ahead = { ofMonotonicMs: isReplaced ? (min + max) / 2 : nearest, wallMs }
    this.#onMeasured(Math.round(this.#ahead.ofMonotonicMs - wallMs))
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

  async #measure(): Promise<void> {
    const askedAtMs = performance.now()
    const timeMs = await this.#database.clockMs?.()
    if (timeMs !== undefined) this.observe(timeMs, askedAtMs, performance.now())
  }
}

/** Synchronized clocks differ by less, including network delay. */
const strangeMs = 2_000
/** Less, so that a clock at the edge is not logged with every measurement. */
const agreedMs = 1_000

/**
 * For leases: a remote holder must not seem dead because a clock is wrong. Signatures still depend on this
 * machine's clock, so a difference is logged when it begins.
 */
export function startClock(database: Database, log: Log): Promise<DatabaseClock> {
  let wasStrange = false
  return DatabaseClock.start(database, (aheadMs) => {
    const isStrange = Math.abs(aheadMs) > (wasStrange ? agreedMs : strangeMs)
    if (isStrange && !wasStrange) {
      log.warn({ aheadMs }, "the database's clock differs from this machine's: set both by NTP")
    } else if (wasStrange && !isStrange) {
      log.info({ aheadMs }, "the database's clock agrees with this machine's again")
    }
    wasStrange = isStrange
  })
}
