import type { Database } from '../../platform/state/database.ts'
import type { KeyValueStore } from '../../platform/state/key-value/key-value.ts'
import { openKeyValueStore } from '../../platform/state/key-value/open-key-value.ts'
import { openDatabase } from '../../platform/state/open-database.ts'
import type { OnTime } from '../../platform/state/revision-table.ts'
import type { ServiceRole } from '../fleet/open-owner.ts'
import type { Settings } from '../settings/read-settings.ts'
import { type Log, throttled } from '../telemetry/log.ts'
import { type Telemetry, watchedDatabase } from '../telemetry/telemetry.ts'
import { startClock } from './start-clock.ts'

/** A server that refuses connections is asked again every second. */
const shortageEveryMs = 60_000

/** What outlives the process. */
export interface OpenState {
  readonly database: Database
  /** AUTH_KV. */
  readonly sessions: KeyValueStore
  /** The database's time, for leases; see DatabaseClock. */
  readonly now: () => number
  /** Takes a measurement of the database's time. */
  readonly onTime: OnTime
  close(): Promise<void>
}

/** Opens the database, its clock and the store of sessions. @throws DatabaseError */
export async function openState({
  settings,
  log,
  role,
  telemetry,
}: {
  readonly settings: Settings
  readonly log: Log
  readonly role: ServiceRole
  readonly telemetry: Telemetry
}): Promise<OpenState> {
  const opened = await openDatabase(settings.database, {
    migrate: role.kind === 'primary',
    connections: settings.databasePool,
    onShortage: shortageLogger(log),
  })
  const database = watchedDatabase(opened, telemetry)
  const clock = await startClock(database, log)
  const { now, observe: onTime } = clock
  const sessions = await openKeyValueStore({
    ...{ url: settings.authKv, database, now },
    onState(problem) {
      if (problem === undefined) log.info('AUTH_KV is responding again')
      else log.warn({ err: problem }, 'AUTH_KV is not responding')
    },
  })
  return {
    ...{ database, sessions, now, onTime },
    async close() {
      clock.stop()
      await sessions.close()
      await database.close()
    },
  }
}

function shortageLogger(log: Log): (error: Error) => void {
  let latest: Error | undefined
  const warn = throttled(shortageEveryMs, () =>
    log.warn({ err: latest }, 'requests wait for a connection to the database: see DATABASE_POOL'),
  )
  return (error) => {
    latest = error
    warn()
  }
}
