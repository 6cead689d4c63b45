import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { thisProcess } from '../../src/platform/process/identity.ts'
import { openDatabase } from '../../src/platform/state/open-database.ts'
import type { Drive } from '../../src/storage/drives/drive.ts'
import { DatabaseLeases } from '../../src/storage/drives/kit/key-lease-table.ts'
import { openStagedUploads } from '../../src/storage/drives/local/staged-uploads.ts'
import { DatabaseDavRecords } from '../../src/storage/drives/webdav/objects/dav-record-table.ts'
import { openWebdavDrive } from '../../src/storage/drives/webdav/webdav-drive.ts'
import { folderFor } from './webdav-drive-under-test.ts'

/** Process 1 started long before this tick. */
const deadProcess = thisProcess.replace(/\/\d+\/\d*$/, '/1/99999999999999')
/** The folder of its files that were to become objects. */
export const deadTmp = `.bucketry/tmp/${deadProcess.replaceAll('/', '~')}`

/** A server, and a database for any number of processes. */
export interface DavWorld {
  readonly leases: DatabaseLeases
  /** The staging directory for parts, if the server cannot append. */
  readonly spoolFolder: string
  open(): Promise<Drive>
}

export async function davWorldOn(
  t: TestContext,
  url: string,
  { maxSpoolBytes = 1_000_000, onWarning = (_: object, _text: string): void => undefined } = {},
): Promise<DavWorld> {
  const folder = folderFor(t)
  const spoolFolder = `${folder}/spool`
  const location = { kind: 'sqlite', path: `${folder}/bucketry.db` } as const
  const database = await openDatabase(location, { migrate: true })
  t.after(() => database.close())
  const leases = new DatabaseLeases(database)
  const log = { info: () => undefined, warn: onWarning }
  const open = async () => {
    const records = new DatabaseDavRecords(database)
    const openStaging = (folder: string) => openStagedUploads(folder, log)
    const spool = { spoolFolder, maxSpoolBytes, openStaging }
    const drive = await openWebdavDrive({ url, records, leases, log, ...spool, firstPauseMs: 5 })
    t.after(async () => {
      await drive.close()
      await records.close()
    })
    return drive
  }
  return { leases, spoolFolder, open }
}

/** Leaves the lease of a process that died during the work in the note. */
export async function leaveLease(
  { leases }: DavWorld,
  places: string | readonly string[],
  note: object,
  untilMs = Date.now() + 15_000,
): Promise<void> {
  const claim = {
    owner: `${deadProcess} x`,
    untilMs,
    note: JSON.stringify(note),
  }
  assert.ok(await leases.take([places].flat(), claim, []))
}
