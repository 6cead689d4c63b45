import type { BucketVersioning } from '../../../storage/buckets/bucket-versioning.ts'
import type { Drive } from '../../../storage/drives/drive.ts'
import type { OpenDrive, OpenParts } from '../../../storage/drives/drive-kind.ts'
import type { ClaimDrive } from '../../../storage/drives/drive-notes.ts'
import { kindOf } from '../../settings/drive-kinds.ts'
import type { DriveSettings } from '../../settings/own-drives.ts'
import type { Settings } from '../../settings/read-settings.ts'

export interface DriveParts extends Omit<OpenParts<DriveSettings, Settings>, 'versioningOf'> {
  /** Undefined: the drive is not used. */
  readonly versioning: Pick<BucketVersioning, 'load' | 'ofDrive'> | undefined
  /** The buckets made at run time, as of now. Absent: none. */
  readonly madeBuckets?: () => Promise<readonly string[]>
  /** The purpose of opening the drive. `write` also creates missing bucket folders and recovers interrupted work. */
  readonly purpose?: 'write' | 'read' | 'check'
}

/**
 * Opens a drive of the settings and prepares it for its buckets (Drive.prepare).
 *
 * @throws DriveError or SettingsError with a user-facing message.
 */
export async function openDrive(parts: DriveParts): Promise<OpenDrive> {
  const { settings, own } = parts
  const opened = await kindOf(own.drive).open({ ...parts, ...versionsOf(parts) })
  try {
    if (isPrepared(opened.drive, parts)) {
      const places = settings.bucketPlaces.filter(({ drive }) => drive === own.name)
      const made = (await parts.madeBuckets?.()) ?? []
      await opened.drive.prepare([...new Set([...places.map(({ folder }) => folder), ...made])])
    }
    return opened
  } catch (error) {
    await opened.close().catch(() => undefined)
    throw error
  }
}

/** A drive that does not know the versioning of its buckets would not keep what it overwrites. */
function versionsOf({ versioning, own, claim, log }: DriveParts) {
  if (versioning === undefined) return {}
  const claimAndLoad: ClaimDrive = async (notes) => {
    await claim(notes)
    const buckets = await versioning.load(own.name, notes)
    if (buckets.length > 0) {
      log.warn({ buckets }, 'the drive has versions that the database does not know: keeping them')
    }
  }
  return { claim: claimAndLoad, versioningOf: versioning.ofDrive(own.name) }
}

function isPrepared({ followsChanges = false }: Drive, { own, purpose = 'write' }: DriveParts) {
  if (purpose === 'check') return false
  return (purpose === 'write' && !own.isReadOnly) || followsChanges
}
