import type { Database } from '../../platform/state/database.ts'
import { startClock } from '../../platform/state/database-clock.ts'
import { DatabaseKeyValueStore } from '../../platform/state/key-value/database-key-value.ts'
import type { KeyValueError, KeyValueStore } from '../../platform/state/key-value/key-value.ts'
import { openDatabase } from '../../platform/state/open-database.ts'
import type { OnTime } from '../../platform/state/revision-table.ts'
import type { ServiceRole } from '../fleet/open-owner.ts'
import type { Settings } from '../settings/read-settings.ts'
import { type Log, throttled } from '../telemetry/log.ts'
import { type Telemetry, watchedDatabase } from '../telemetry/telemetry.ts'

/** Pause between attempts to connect to a server that refuses connections. */
const shortageEveryMs = 60_000

/** The state that outlives the process. */
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
    isStarting: true,
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

export interface KeyValueOptions {
  /** The setting AUTH_KV; undefined: the database. */
  readonly url: string | undefined
  readonly database: Database
  /** The database's time, by which sessions expire. */
  readonly now: () => number
  /** Called with the reason when the store's server stops responding, and with undefined when it responds again. */
  readonly onState?: (problem: KeyValueError | undefined) => void
}

/** Opens AUTH_KV. An unreachable server does not block the start: the connection is retried. */
export async function openKeyValueStore(options: KeyValueOptions): Promise<KeyValueStore> {
  const { url, database, now, onState } = options
  if (url === undefined) return new DatabaseKeyValueStore(database, now)
  // Loaded only when it is used: most installations have no Redis.
  const { RedisKeyValueStore } = await import('../../platform/state/key-value/redis-key-value.ts')
  return new RedisKeyValueStore({ url, ...(onState === undefined ? {} : { onState }) })
}
