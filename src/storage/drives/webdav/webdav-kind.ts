import { join } from 'node:path'
import { SettingMistake } from '../../../platform/process/setting-mistake.ts'
import type { DriveKind, Location, OwnDrive } from '../drive-kind.ts'
import { openStagedUploads } from '../local/staged-uploads.ts'
import { davAddressForm, parseDavAddress, targetOf } from './client/dav-path.ts'

export interface WebdavLocation extends Location {
  readonly kind: 'webdav'
  /** `webdav+https://user:password@host/path`, or the same with `http`. */
  readonly url: string
}

/** The settings that a WebDAV drive uses. */
export interface WebdavService {
  readonly driveSpool: string
  readonly driveSpoolGib: number
}

export const webdavKind: DriveKind<WebdavLocation, OwnDrive<WebdavLocation>, WebdavService> = {
  kind: 'webdav',
  scheme: 'webdav+',
  form: 'webdav+https://user:password@host/path',
  beatMs: 20_000,
  parse(text) {
    if (!text.startsWith('webdav')) return undefined
    try {
      parseDavAddress(text)
    } catch (cause) {
      throw new SettingMistake(davAddressForm, { cause })
    }
    return { kind: 'webdav', url: `webdav+${new URL(text.slice('webdav+'.length)).href}` }
  },
  deletes: () => 'server',
  staging: ({ driveSpool }) => driveSpool,
  async inOneForm({ url }) {
    // As requests are sent (RFC 3986 section 6.2).
    const { origin, root } = parseDavAddress(url)
    return { kind: 'webdav', url: `webdav+${origin}${targetOf(root, [])}` }
  },
  placeOf({ drive }) {
    const { origin, root } = parseDavAddress(drive.url)
    return { server: origin, path: targetOf(root, []).replace(/\/$/, '') }
  },
  describe({ url }) {
    const { origin, pathname } = new URL(url.replace(/^webdav\+/, ''))
    return `${origin}${pathname}`
  },
  async open({ settings, own, database, log, claim, now }) {
    // Cloud drives are imported on demand, because a local folder does not need their HTTP client.
    const { openWebdavDrive } = await import('./webdav-drive.ts')
    const { DatabaseDavRecords } = await import('./objects/dav-record-table.ts')
    const { DatabaseLeases } = await import('../kit/key-lease-table.ts')
    const records = new DatabaseDavRecords(database, own.name, now)
    const drive = await openWebdavDrive({
      ...{ url: own.drive.url, records, now, log, claim },
      leases: new DatabaseLeases(database, own.name),
      spoolFolder: spoolFolderOf(settings, own.name),
      openStaging: (folder) => openStagedUploads(folder, log),
      maxSpoolBytes: settings.driveSpoolGib * 2 ** 30,
    })
    return {
      drive,
      async close() {
        await drive.close().finally(() => records.close())
      },
    }
  },
}

/** The staging directory of a WebDAV drive. Drives may not share one: each sweeps what it does not know. */
function spoolFolderOf({ driveSpool }: WebdavService, name: string): string {
  return name === '' ? driveSpool : join(driveSpool, 'drives', name)
}
