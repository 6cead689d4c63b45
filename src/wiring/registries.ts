import { OwnerKey } from '../access/access-keys.ts'
import { StoredKeys } from '../access/stored-keys.ts'
import type { Database } from '../state/database.ts'
import { RevisionWatch } from '../state/revision-watch.ts'
import { createSealer } from '../state/sealer.ts'
import { AccessKeyTable } from '../state/stores/access-keys.ts'
import { Revisions } from '../state/stores/revisions.ts'
import type { Log } from './log.ts'
import type { Settings } from './settings/read-settings.ts'

/** What every process keeps in memory of the database, and what a change of it is in force through. */
export interface Registries {
  readonly keys: StoredKeys
  readonly watch: RevisionWatch
  close(): Promise<void>
}

interface RegistryParts {
  readonly settings: Pick<Settings, 'accessKey' | 'secretKey'>
  readonly database: Database
  readonly log: Log
}

/** Loads the access keys and begins to watch them. @throws DatabaseError */
export async function openRegistries({
  settings,
  database,
  log,
}: RegistryParts): Promise<Registries> {
  const watch = new RevisionWatch({
    revisions: new Revisions(database),
    onState: (problem) => logState(log, problem),
  })
  const keys = new StoredKeys({
    owner: new OwnerKey(settings),
    table: new AccessKeyTable(database),
    watch,
    sealer: createSealer(settings.secretKey, 'accessKeys'),
    now: Date.now,
    log,
  })
  await watch.start({ 'access-keys': keys.reload })
  return {
    keys,
    watch,
    async close() {
      watch.stop()
      await keys.flushUses()
    },
  }
}

function logState(log: Log, problem: unknown): void {
  if (problem === undefined) log.info('access keys are checked again')
  else log.warn({ err: problem }, 'access keys cannot be checked: changes are not in force yet')
}
