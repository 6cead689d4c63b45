import { realFolderPath } from '../../drives/local/local-root.ts'
import { parseDavAddress, targetOf } from '../../drives/webdav/client/dav-path.ts'
import type { DriveSettings } from '../settings/drive-settings.ts'
import type { DriveLocation } from '../settings/parse-locations.ts'
import { shownDrive } from '../settings/shown-settings.ts'

/**
 * Where a drive is, without user and password, as the database remembers it. First the form that all
 * spellings of the location share, last the form of DRIVE: a symbolic link may lead elsewhere later.
 */
export type DriveLocations = readonly string[]

/**
 * @param name of the drive; '' for the default drive
 * @throws DriveError, for people, when the path of a folder can't be followed.
 */
export async function driveLocations(
  settings: Pick<DriveSettings, 'drive' | 'gdriveSharedDrive'>,
  name = '',
): Promise<DriveLocations> {
  const drive = await inOneForm(settings.drive)
  // Folders of several Google accounts may have the same path.
  const account = name !== '' && drive.kind === 'gdrive' ? ` (drive ${name})` : ''
  const shown = [shownDrive({ ...settings, drive }), shownDrive(settings)]
  return [...new Set(shown.map((location) => location + account))]
}

async function inOneForm(drive: DriveLocation): Promise<DriveLocation> {
  switch (drive.kind) {
    case 'file':
      return { kind: 'file', path: await realFolderPath(drive.path) }
    case 'webdav': {
      // As requests are sent (RFC 3986 section 6.2).
      const { origin, root } = parseDavAddress(drive.url)
      return { kind: 'webdav', url: `webdav+${origin}${targetOf(root, [])}` }
    }
    case 'gdrive': {
      const names = drive.folder.split('/').filter((name) => name !== '')
      return { kind: 'gdrive', folder: names.join('/') }
    }
    case 'memory':
      return drive
  }
}
