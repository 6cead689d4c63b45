import type { Database } from '../../platform/state/database.ts'
import { DatabaseClock } from '../../platform/state/database-clock.ts'
import type { Log } from '../telemetry/log.ts'

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
