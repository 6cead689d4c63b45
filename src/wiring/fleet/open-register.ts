import { hostname } from 'node:os'
import { packageVersion } from '../../package-folder.ts'
import type { Database } from '../../state/database.ts'
import { createSealer } from '../../state/sealer.ts'
import { GatewayTable } from '../../state/stores/gateways.ts'
import { kindOf } from '../drive-kinds/drive-kinds.ts'
import type { Log } from '../log.ts'
import { nameOfDrive } from '../settings/drive-settings.ts'
import type { Settings } from '../settings/read-settings.ts'
import { driveFormat } from './gateway-facts.ts'
import { GatewayRegister } from './gateway-register.ts'
import type { KnownGateways } from './known-gateways.ts'
import { SharedProbe } from './shared-probe.ts'

/** Longer on SQLite: each heartbeat writes to this machine's disk, and its gateways can check each other's processes. */
const beatMs: Readonly<Record<string, number>> = { postgres: 2_000, sqlite: 4_000 }
const defaultBeatMs = 4_000

export interface RegisterParts {
  readonly settings: Settings
  readonly database: Database
  readonly known: KnownGateways
  readonly log: Log
  readonly now: () => number
  /** The settings of the drives that are open, by the drives' ids. */
  readonly drives: ReadonlyMap<string, string>
  /** Called when the gateway must end. */
  readonly onConflict: (message: string) => void
  readonly onEnded: () => void
}

/** The registration of this gateway, for its primary process. It is not started yet. */
export function openRegister(parts: RegisterParts): GatewayRegister {
  const { settings, database, drives, log } = parts
  const table = new GatewayTable(database)
  const sealer = createSealer(settings.secretKey, 'gateways')
  const about = { host: hostname(), version: packageVersion(), driveFormat }
  return new GatewayRegister({
    ...parts,
    table,
    // The gateways of a SQLite database are on one machine.
    ...(database.kind === 'postgres' && {
      probe: new SharedProbe({ table, log, folders: () => foldersOf(settings, drives) }),
    }),
    own: () => ({
      facts: { ...about, drives: Object.fromEntries([...drives].map(([id, name]) => [name, id])) },
      accessKey: settings.accessKey,
      sealer,
    }),
    beatMs: beatMs[database.kind] ?? defaultBeatMs,
  })
}

/** The folders of the drives that are open and may be written to, by the drives' ids. */
function foldersOf(
  settings: Settings,
  drives: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const folders = new Map<string, string>()
  for (const [driveId, setting] of drives) {
    const own = settings.drives.find(({ name }) => nameOfDrive('drive', name) === setting)
    const folder = own && kindOf(own.drive).folder?.(own.drive)
    if (folder !== undefined && !own?.isReadOnly) folders.set(driveId, folder)
  }
  return folders
}
