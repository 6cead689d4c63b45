import { hostname } from 'node:os'
import type { ProcessName } from '../../platform/process/identity.ts'
import { packageVersion } from '../../platform/process/package-folder.ts'
import type { Database } from '../../platform/state/database.ts'
import { createSealer } from '../../platform/state/sealer.ts'
import type { BucketVersioning } from '../../storage/buckets/bucket-versioning.ts'
import type { Drive } from '../../storage/drives/drive.ts'
import type { DriveNotes } from '../../storage/drives/drive-notes.ts'
import type { Mount } from '../../storage/drives/route/mount.ts'
import { driveFormat } from '../fleet/gateway-facts.ts'
import { GatewayRegister } from '../fleet/gateway-register.ts'
import { GatewayTable } from '../fleet/gateway-table.ts'
import type { KnownGateways } from '../fleet/known-gateways.ts'
import type { ServiceRole } from '../fleet/open-owner.ts'
import { SharedProbe } from '../fleet/shared-probe.ts'
import { kindOf } from '../settings/drive-kinds.ts'
import { nameOfDrive } from '../settings/own-drives.ts'
import type { Settings } from '../settings/read-settings.ts'
import type { Log } from '../telemetry/log.ts'
import { type DriveTelemetry, watchedDrive } from '../telemetry/telemetry.ts'
import { madeBuckets, type OpenMounts, openMounts } from './drives/open-mounts.ts'

/** The drives, and the registration of this gateway, which other gateways of the same drives watch. */
export interface OpenDrives {
  /** All drives as one. */
  readonly drive: Drive
  /** Each drive; the default drive first. */
  readonly mounts: readonly Mount[]
  /** The default drive's own list of buckets; absent if it has none. */
  readonly notes: DriveNotes | undefined
  /** Whether this gateway sweeps for all gateways of its database. */
  isFirst(): boolean
  /** Sends heartbeats from now on. @throws SettingsError, DatabaseError */
  begin(): Promise<void>
  /** Call it when another process of this gateway has died: the other gateways take over its locks and leases. */
  processDied(name: ProcessName): void
  close(): Promise<void>
  /** Call it instead of `close` when the gateway failed to start. Never rejects. */
  withdraw(): Promise<void>
}

interface DrivesParts {
  readonly settings: Settings
  readonly log: Log
  readonly role: ServiceRole
  readonly database: Database
  /** The database's time. */
  readonly now: () => number
  readonly gateways: KnownGateways
  readonly versioning: BucketVersioning
  readonly telemetry: DriveTelemetry
}

/**
 * Registers the gateway, if this is its primary process, and opens the drives.
 *
 * @throws DriveError, SettingsError or DatabaseError with a user-facing message
 */
export async function openDrives(parts: DrivesParts): Promise<OpenDrives> {
  const { settings, log, role, database, now, gateways, versioning, telemetry } = parts
  const claimed = new Map<string, string>()
  let mounts: OpenMounts | undefined
  const register =
    role.kind === 'primary'
      ? openRegister({
          ...{ settings, database, log, now, known: gateways, drives: claimed },
          onConflict: role.onDriveLost,
          onEnded: () => void (mounts && sweepDrive(mounts, log)),
        })
      : undefined
  // First, so that a gateway with other keys can't change the database.
  await register?.start()
  const made = madeBuckets(role, database, log)
  try {
    mounts = await openMounts({
      ...{ settings, log, database, role, now, made, versioning, claimed },
      gateways: () => gateways.running,
      watch: (drive, name) => watchedDrive(drive, name, telemetry),
    })
  } catch (error) {
    await register?.withdraw()
    throw error
  }
  const opened = mounts
  return {
    ...{ drive: opened.drive, mounts: opened.mounts, notes: made.notes },
    isFirst: () => register?.isFirst ?? false,
    begin: async () => await register?.begin(),
    processDied: (name) => register?.processDied(name),
    async close() {
      await register?.close()
      await opened.close()
    },
    async withdraw() {
      await opened.close().catch(() => undefined)
      await register?.withdraw()
    },
  }
}

/** Removes leftovers soon after another gateway has ended. */
async function sweepDrive({ drive }: { readonly drive: Drive }, log: Log): Promise<void> {
  try {
    await drive.sweep?.()
  } catch (error) {
    log.warn({ err: error }, 'could not remove leftovers of another gateway; will retry')
  }
}

/** Longer on SQLite, where a heartbeat writes to the local disk and gateways can check each other's processes. */
const beatMs: Readonly<Record<string, number>> = { postgres: 2_000, sqlite: 4_000 }
const defaultBeatMs = 4_000

interface RegisterParts {
  readonly settings: Settings
  readonly database: Database
  readonly known: KnownGateways
  readonly log: Log
  readonly now: () => number
  /** The settings of the open drives, by the drives' ids. */
  readonly drives: ReadonlyMap<string, string>
  /** Called when the gateway must end. */
  readonly onConflict: (message: string) => void
  readonly onEnded: () => void
}

/** The registration of this gateway, for its primary process. It is not started yet. */
function openRegister(parts: RegisterParts): GatewayRegister {
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

/** The folders of the open, writable drives, by the drives' ids. */
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
