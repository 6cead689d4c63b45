import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext } from 'node:test'
import { thisProcess } from '../../src/platform/process/identity.ts'
import { openDatabase } from '../../src/platform/state/open-database.ts'
import type { Drive } from '../../src/storage/drives/drive.ts'
import { DatabaseLeases } from '../../src/storage/drives/kit/key-lease-table.ts'
import { openStagedUploads } from '../../src/storage/drives/local/staged-uploads.ts'
import { DatabaseDavRecords } from '../../src/storage/drives/webdav/objects/dav-record-table.ts'
import { openWebdavDrive } from '../../src/storage/drives/webdav/webdav-drive.ts'
import { startNextcloud } from '../fakes/nextcloud/start-nextcloud.ts'
import { DavClient } from '../support/webdav/dav-client.ts'
import type { Scope, WebdavServer, WebdavServerOptions } from '../support/webdav/server-process.ts'
import { suiteScope } from '../support/webdav/suite-scope.ts'
import {
  type ByHand,
  buckets,
  type DriveUnderTest,
  type MakeDrive,
  noVersions,
} from './drive/drive-suite.ts'
import { FolderByHand } from './drive/folder-by-hand.ts'
import { driveContract } from './drive-contract.ts'

export type StartServer = (
  scope: Scope,
  options?: WebdavServerOptions,
) => Promise<WebdavServer | undefined>

const log = {
  info: () => undefined,
  warn: (fields: object, text: string) => console.error(text, fields),
}

/** A temporary folder that is removed after the test. */
export function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-webdav-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

interface Opener {
  /** Opens the drive as another process would. */
  open(): Promise<Drive>
  /** Staged files of uploads. */
  spooled(): string[]
}

/** Marks of completed uploads stay until they are swept. */
function spooledIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /uploads|spool$/.test(entry.parentPath))
    .map((entry) => entry.name)
    .filter((name) => !name.startsWith('done-'))
}

async function openerOf(
  t: TestContext,
  url: string,
  { maxSpoolBytes = 64 * 1024 * 1024, names = buckets as readonly string[] } = {},
): Promise<Opener> {
  const folder = folderFor(t)
  const spoolFolder = join(folder, 'spool')
  const path = join(folder, 'bucketry.db')
  const database = await openDatabase({ kind: 'sqlite', path }, { migrate: true })
  t.after(() => database.close())
  const open = async () => {
    const records = new DatabaseDavRecords(database)
    const leases = new DatabaseLeases(database)
    // Retries soon when a server is busy, as Nextcloud is for files that are being read.
    const soon = { firstPauseMs: 5 }
    const openStaging = (folder: string) => openStagedUploads(folder, log)
    const spool = { spoolFolder, maxSpoolBytes, openStaging }
    const drive = await openWebdavDrive({ url, records, leases, log, ...spool, ...soon })
    await drive.prepare(names)
    t.after(async () => {
      await drive.close()
      await records.close()
    })
    return drive
  }
  return { open, spooled: () => spooledIn(spoolFolder) }
}

/** The folder of a server. */
class ServedFolder extends FolderByHand {
  readonly #onChange: () => Promise<void>

  /** @param onChange called after each change */
  constructor(folder: string, onChange: () => Promise<void>) {
    super(folder)
    this.#onChange = onChange
  }

  override async put(path: string, bytes: Uint8Array): Promise<void> {
    await super.put(path, bytes)
    await this.#onChange()
  }

  override async remove(path: string): Promise<void> {
    await super.remove(path)
    await this.#onChange()
  }

  override async makeFolder(path: string): Promise<void> {
    await super.makeFolder(path)
    await this.#onChange()
  }

  /** Without the folders in which Apache stores properties, which it does not list. */
  override async list(): Promise<string[]> {
    return (await super.list()).filter((path) => !path.split('/').includes('.DAV'))
  }
}

/** The name findings of the suite's first drive. The probe takes a hundred requests. */
const namesFile = '.bucketry/names.json'

interface DriveFolder {
  /** As in DRIVE. */
  readonly url: string
  /** The same folder on disk. */
  readonly root: string
  /** Call it after changes by hand. */
  forgetFolders(): Promise<void>
}

/** Gives each drive a new folder of one server, or a separate server if its space is limited. */
function foldersOn(start: StartServer): (t: TestContext, bytes?: number) => Promise<DriveFolder> {
  const scope = suiteScope()
  let shared: Promise<WebdavServer | undefined> | undefined
  let count = 0
  return async (t, capacityBytes) => {
    if (capacityBytes === undefined) shared ??= start(scope)
    const server = await (capacityBytes === undefined ? shared : start(t, { capacityBytes }))
    if (server === undefined) throw new Error('the server is missing')
    const forgetFolders = async () => server.forgetFolders?.()
    if (capacityBytes !== undefined) return { ...server, forgetFolders }
    const name = `drive-${++count}`
    const status = await new DavClient(server).statusOf('MKCOL', `/${name}/`)
    if (status !== 201) throw new Error(`MKCOL of a drive's folder: ${status}`)
    return { url: `${server.url}/${name}`, root: join(server.root, name), forgetFolders }
  }
}

/** The drive over a server on this machine, with its folder on this machine's disk. */
export function makeDriveOn(
  start: StartServer,
  bucketNames: readonly [first: string, ...string[]] = buckets,
): MakeDrive {
  const folderOf = foldersOn(start)
  let names: Buffer | undefined
  return async (t, { capacityBytes }) => {
    const { url, root, forgetFolders } = await folderOf(t, capacityBytes)
    const { open, spooled } = await openerOf(t, url, {
      names: bucketNames,
      ...(capacityBytes !== undefined && { maxSpoolBytes: capacityBytes }),
    })
    const own = new ServedFolder(join(root, '.bucketry'), forgetFolders)
    const file = join(root, namesFile)
    if (names !== undefined) {
      mkdirSync(join(root, '.bucketry'))
      writeFileSync(file, names)
      await forgetFolders()
    }
    const drive = await open()
    names ??= readFileSync(file)
    return {
      drive,
      reopen: open,
      byHand: new ServedFolder(join(root, bucketNames[0]), forgetFolders),
      leftovers: async () => [...leftoversIn(await own.list()), ...spooled()],
    }
  }
}

let namesOfNextcloud: Uint8Array | undefined

export const makeNextcloudDrive: MakeDrive = async (
  t,
  { capacityBytes },
): Promise<DriveUnderTest> => {
  const server = await startNextcloud(
    t,
    capacityBytes === undefined ? {} : { quota: capacityBytes },
  )
  const { open } = await openerOf(
    t,
    server.url,
    capacityBytes === undefined ? {} : { maxSpoolBytes: capacityBytes },
  )
  const { otherClient } = server
  if (namesOfNextcloud !== undefined) otherClient.put(namesFile, namesOfNextcloud)
  const drive = await open()
  namesOfNextcloud ??= otherClient.get(namesFile)
  const below = (path: string) => `${buckets[0]}/${path}`
  const byHand: ByHand = {
    put: async (path, bytes) => otherClient.put(below(path), bytes),
    remove: async (path) => otherClient.remove(below(path)),
    makeFolder: async (path) => otherClient.makeFolder(below(path)),
    list: async () => otherClient.list(buckets[0]),
  }
  return {
    drive,
    reopen: open,
    byHand,
    leftovers: async () => [...leftoversIn(otherClient.list('.bucketry')), ...server.openUploads()],
  }
}

/** The files of drafts and uploads, without the folders of these files. */
function leftoversIn(paths: readonly string[]): string[] {
  const own = [
    'tmp/',
    'aside/',
    'uploads/',
    'names.json',
    `tmp/${thisProcess.replaceAll('/', '~')}/`,
  ]
  return paths.filter((path) => !own.includes(path))
}

/** The drive contract on one kind of server. */
export function describeWebdavDrive(
  name: string,
  make: MakeDrive,
  absence: string | false,
  lacking: Parameters<typeof driveContract>[2] = {},
): void {
  if (absence !== false) describe(`webdav drive on ${name}`, { skip: absence })
  else
    driveContract(`webdav drive on ${name}`, make, {
      deepKeys: 'each folder costs several calls; webdav-deep.test.ts has a key of 511',
      keptVersions: 'the server keeps no file that is overwritten',
      anyOrder: 'parts are staged or appended in order',
      ...noVersions,
      ...lacking,
    })
}
