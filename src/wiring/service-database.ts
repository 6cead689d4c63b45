import type { Database } from '../state/database.ts'
import { openDatabase } from '../state/open-database.ts'
import type { ServiceRole } from './drive/open-owner.ts'
import type { Log } from './log.ts'
import type { Settings } from './settings/read-settings.ts'
import { sparingly } from './sparingly.ts'

/** A server that refuses connections is asked again every second. */
const shortageEveryMs = 60_000

/** The database of a process that serves. @throws DatabaseError */
export function openServiceDatabase(
  settings: Settings,
  log: Log,
  role: ServiceRole,
): Promise<Database> {
  let latest: Error | undefined
  const warn = sparingly(shortageEveryMs, () =>
    log.warn({ err: latest }, 'requests wait for a connection to the database: see DATABASE_POOL'),
  )
  return openDatabase(settings.database, {
    migrate: role.kind === 'primary',
    connections: settings.databasePool,
    onShortage(error) {
      latest = error
      warn()
    },
  })
}
