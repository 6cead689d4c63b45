import type { Database } from '../state/database.ts'
import { DatabaseClock } from '../state/database-clock.ts'
import type { Log } from './log.ts'

/** Synchronized clocks differ by less, including network delay. */
const strangeMs = 2_000

/** For leases: a remote holder must not seem dead because a clock is wrong. */
export async function startClock(database: Database, log: Log): Promise<DatabaseClock> {
  const clock = await DatabaseClock.start(database)
  if (Math.abs(clock.aheadMs) > strangeMs) {
    log.warn({ aheadMs: clock.aheadMs }, "the database's clock differs from this machine's")
  }
  return clock
}
