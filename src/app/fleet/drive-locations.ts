import { type AnyOwnDrive, kindOf } from '../settings/drive-kinds.ts'
import { shownDrive } from '../settings/shown-settings.ts'

/**
 * Where a drive is, without user and password, as the database remembers it. First the form that all
 * spellings of the location share, last the form of DRIVE: a symbolic link may lead elsewhere later.
 */
export type DriveLocations = readonly string[]

/** @throws DriveError, for people, when the path of a folder can't be followed. */
export async function driveLocations(own: AnyOwnDrive): Promise<DriveLocations> {
  const { inOneForm, isOfAccount } = kindOf(own.drive)
  const drive = (await inOneForm?.(own.drive)) ?? own.drive
  const account = own.name !== '' && isOfAccount ? ` (drive ${own.name})` : ''
  const shown = [shownDrive({ ...own, drive }), shownDrive(own)]
  return [...new Set(shown.map((location) => location + account))]
}
