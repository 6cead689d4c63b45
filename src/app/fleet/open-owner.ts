import type { Log } from '../../platform/process/log.ts'
import type { Database } from '../../platform/state/database.ts'
import type { ClaimDrive } from '../../storage/drives/drive-notes.ts'
import { kindOf, longestBeatMs } from '../settings/drive-kinds.ts'
import { type DriveSettings, nameOfDrive } from '../settings/own-drives.ts'
import type { Settings } from '../settings/read-settings.ts'
import { shownDatabase } from '../settings/shown-settings.ts'
import { DriveOwner } from './drive-owner.ts'
import { DriveTable, driveLocations } from './known-drives.ts'

/** The role of a process: the primary claims the drive, all others check that it was claimed. */
export type ServiceRole =
  | {
      readonly kind: 'primary'
      /**
       * Called when this gateway must stop serving: the drive now belongs to another database, or the settings
       * differ from those of another gateway of its database.
       */
      readonly onDriveLost: (message: string) => void
    }
  | {
      readonly kind: 'worker'
      /** As above. If absent, the primary ends this process. */
      readonly onDriveLost?: (message: string) => void
      /** Resolves when the other processes of this gateway have read a change. */
      readonly spread?: () => Promise<void>
    }

export interface OwnerParts {
  readonly settings: Settings
  /** The drive, one of `settings.drives`. */
  readonly own: DriveSettings
  /** See DriveOwnerOptions. */
  readonly claimed?: Map<string, string>
  readonly log: Log
  readonly database: Database
}

/** Short, so that a gateway with another database is refused within five seconds. Each check is one read. */
const answerMs = 2_000

/**
 * Prepares the check that the drive belongs to the database.
 *
 * @throws DriveError with a user-facing message when the drive's path can't be followed.
 */
export async function openOwner(
  { settings, own, claimed, log, database }: OwnerParts,
  role: ServiceRole,
): Promise<{ readonly claim: ClaimDrive; close(): Promise<void> }> {
  const owner = new DriveOwner({
    setting: nameOfDrive('drive', own.name),
    ...(claimed && { claimed }),
    table: new DriveTable(database),
    locations: await driveLocations(own),
    database: shownDatabase(settings),
    beatMs: kindOf(own.drive).beatMs,
    answerMs,
    longestBeatMs,
    log,
    onLost: role.onDriveLost ?? (() => undefined),
  })
  const watches = role.kind === 'worker' && role.onDriveLost !== undefined
  return {
    claim(notes) {
      if (role.kind === 'primary') return owner.claim(notes)
      return watches ? owner.watch(notes) : owner.verify(notes)
    },
    close: () => owner.close(),
  }
}
