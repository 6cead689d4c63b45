import type { Database } from './database.ts'

/** How often the difference is measured, and the longest time of a measurement that counts. */
const everyMs = 60_000
const validMs = 1_000
const attempts = 3

/**
 * The time of all processes that share a database: an estimate of the time on the database's machine.
 * With their own clocks, gateways could disagree on whether a lease has ended.
 */
export class DatabaseClock {
  readonly #database: Database
  readonly #timer: NodeJS.Timeout | undefined
  #aheadMs = 0

  private constructor(database: Database) {
    this.#database = database
    if (database.clockMs === undefined) return
    // While the database is not responding, no process gets a lease either.
    this.#timer = setInterval(() => void this.#measure().catch(() => undefined), everyMs)
    this.#timer.unref()
  }

  /** @throws DatabaseError when the database does not respond */
  static async start(database: Database): Promise<DatabaseClock> {
    const clock = new DatabaseClock(database)
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
    return this.#aheadMs
  }

  /** Milliseconds since the epoch. */
  readonly now = (): number => Date.now() + this.#aheadMs

  stop(): void {
    clearInterval(this.#timer)
  }

  /** The time is that of a moment between request and response: a late response is inaccurate. */
  async #measure(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const [askedAtMs, startedAt] = [Date.now(), performance.now()]
      const time = await this.#database.clockMs?.()
      if (time === undefined) return
      const tookMs = performance.now() - startedAt
      if (tookMs > validMs && attempt < attempts) continue
      this.#aheadMs = Math.round(time - (askedAtMs + tookMs / 2))
      return
    }
  }
}
