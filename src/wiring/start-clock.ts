import type { Database } from '../state/database.ts'
import { DatabaseClock } from '../state/database-clock.ts'
import type { Log } from './log.ts'

/** Clocks that are kept in step differ by less, answers on their way included. */
const strangeMs = 2_000

/** For leases: a holder elsewhere must not be taken for dead because a clock is wrong. */
export async function startClock(database: Database, log: Log): Promise<DatabaseClock> {
  const clock = await DatabaseClock.start(database)
  if (Math.abs(clock.aheadMs) > strangeMs) {
    log.warn({ aheadMs: clock.aheadMs }, "the database's clock differs from this machine's")
  }
  return clock
}
