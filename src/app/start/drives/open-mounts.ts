import type { Database } from '../../../platform/state/database.ts'
import { findMadeBuckets } from '../../../storage/buckets/bucket-note.ts'
import type { BucketVersioning } from '../../../storage/buckets/bucket-versioning.ts'
import { MadeBucketTable } from '../../../storage/buckets/made-bucket-table.ts'
import type { Drive } from '../../../storage/drives/drive.ts'
import type { ClaimDrive, DriveNotes } from '../../../storage/drives/drive-notes.ts'
import type { BucketPlace, Mount } from '../../../storage/drives/route/mount.ts'
import { RoutedDrive } from '../../../storage/drives/route/routed-drive.ts'
import { UploadTable } from '../../../storage/s3/multipart/upload-table.ts'
import { openOwner, type ServiceRole } from '../../fleet/open-owner.ts'
import type { DriveSettings } from '../../settings/own-drives.ts'
import { isBucketName } from '../../settings/parse-names.ts'
import type { Settings } from '../../settings/read-settings.ts'
import type { Log } from '../../telemetry/log.ts'
import { LateMount } from './late-mount.ts'
import { openDrive } from './open-drive.ts'

interface MountsParts {
  readonly settings: Settings
  readonly log: Log
  readonly database: Database
  readonly role: ServiceRole
  /** The database's time, for leases. */
  readonly now: () => number
  /** The number of running gateways, including this one. */
  readonly gateways: () => number
  /** Wraps each drive once it is open, to watch its calls. @param name '' for the default drive */
  readonly watch: (drive: Drive, name: string) => Drive
  /** Buckets of the default drive that were made at run time. */
  readonly made: MadeBuckets
  readonly versioning: BucketVersioning
  /** Receives the settings of the drives that this process has claimed, by the drives' ids. */
  readonly claimed: Map<string, string>
}

/** All drives of the settings. */
export interface OpenMounts {
  /** All drives as one. */
  readonly drive: Drive
  /** Each drive; the default drive first. */
  readonly mounts: readonly Mount[]
  close(): Promise<void>
}

/**
 * Opens the default drive, and begins to open the named drives, which may be unavailable at start.
 *
 * @throws DriveError or SettingsError with a user-facing message if the default drive can't be opened.
 */
export async function openMounts(parts: MountsParts): Promise<OpenMounts> {
  const { settings, database, watch } = parts
  const [own, ...named] = settings.drives
  if (own === undefined) throw new Error('there is no default drive')
  const owner = await openOwner({ ...parts, own }, parts.role)
  const opened = await openDrive({
    ...parts,
    own,
    claim: parts.made.claimAfter(claimOf(own, owner)),
    madeBuckets: parts.made.names,
  })
  const { name, isReadOnly } = own
  const main: Mount = { name, isReadOnly, drive: watch(opened.drive, '') }
  const late = named.map((one) => new LateMount({ ...parts, own: one }))
  const mounts = [main, ...late]
  const places = placesOf(settings, mounts)
  // Open uploads on drives that are no longer in the settings also need a RoutedDrive.
  const hasForeign = await new UploadTable(database).hasStates('@')
  // With a single drive, there is nothing to route.
  const isPlain = late.length === 0 && places.size === 0 && !hasForeign
  await Promise.all(late.map((mount) => mount.start()))
  return {
    drive: isPlain && !main.isReadOnly ? main.drive : new RoutedDrive({ mounts, places }),
    mounts,
    async close() {
      await Promise.all(late.map((mount) => mount.close()))
      await owner.close()
      await opened.close()
    },
  }
}

/** Claims nothing on a read-only drive: not even an owner note is written to it. */
function claimOf(
  { isReadOnly }: DriveSettings,
  { claim }: Awaited<ReturnType<typeof openOwner>>,
): typeof claim {
  return isReadOnly ? async () => undefined : claim
}

/** The places of the buckets that are not simply folders of the default drive. */
function placesOf(
  { bucketPlaces, readOnly }: Settings,
  mounts: readonly Mount[],
): ReadonlyMap<string, BucketPlace> {
  const places = new Map<string, BucketPlace>()
  for (const { bucket, drive, folder } of bucketPlaces) {
    const mount = mounts.find(({ name }) => name === drive)
    const isReadOnly = readOnly.includes(bucket)
    if (mount === undefined || (drive === '' && folder === bucket && !isReadOnly)) continue
    places.set(bucket, { mount, folder, isReadOnly })
  }
  return places
}

/** The buckets made at run time, as the drive and the database know them, while the drive is opened. */
export interface MadeBuckets {
  /** The drive's own list of buckets; absent if it has none, or is not open yet. */
  readonly notes: DriveNotes | undefined
  /** Like `claim`; the primary then also adds the drive's buckets that a new database does not know. */
  claimAfter(claim: ClaimDrive): ClaimDrive
  /** The folders of the buckets to serve. */
  names(): Promise<readonly string[]>
}

export function madeBuckets(role: ServiceRole, database: Database, log: Log): MadeBuckets {
  const table = new MadeBucketTable(database)
  let notes: DriveNotes | undefined
  return {
    get notes() {
      return notes
    },
    claimAfter: (claim) => async (given) => {
      await claim(given)
      notes = given
      if (role.kind !== 'primary') return
      const buckets = await findMadeBuckets({ notes, table, isBucketName, nowMs: Date.now() })
      if (buckets.length > 0) {
        log.warn(
          { buckets },
          'the drive has buckets that the database does not know: serving them again',
        )
      }
    },
    async names() {
      const rows = await table.all()
      return rows.filter(({ isRemoving }) => isRemoving === 0).map(({ bucket }) => bucket)
    },
  }
}
