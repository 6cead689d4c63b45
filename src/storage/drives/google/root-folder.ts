import { setTimeout as sleep } from 'node:timers/promises'
import { DriveError, PrivateDriveError } from '../drive-error.ts'
import type { DriveNotes, NoteName } from '../drive-notes.ts'
import type { KeyLeases } from '../kit/key-leases.ts'
import type { GoogleApi } from './api/google-api.ts'
import { folderType, type GoogleFile } from './api/google-file.ts'
import { childFolder, folderPages, makeChildFolder } from './index/folder-pages.ts'
import { oldestFirst } from './index/indexed-file.ts'

export interface RootFolderOptions {
  readonly api: GoogleApi
  readonly leases: KeyLeases
  /** A path below My Drive or the shared drive, an id, or '' for all of it. */
  readonly folder: string
  readonly sharedDriveId?: string | undefined
}

/** The form of ids; folder names rarely have it. */
const idPattern = /^[\w-]{19,}$/

/**
 * The id of the folder with the buckets' folders. A path is created if missing.
 *
 * @throws DriveError if the id in DRIVE is not that of a usable folder.
 */
export async function makeRootFolder(options: RootFolderOptions): Promise<string> {
  const { api, leases } = options
  return await walkTo(options, (parent, name) =>
    leases.hold([`root ${parent}/${name}`], async () => {
      return (await makeChildFolder(api, parent, name)).id
    }),
  )
}

/** The id of that folder; undefined when it does not exist. */
export async function findRootFolder(options: RootFolderOptions): Promise<string | undefined> {
  return await walkTo(options, async () => undefined)
}

/** @param make creates a missing folder and returns its id; undefined ends the walk. */
async function walkTo<Made extends string | undefined>(
  { api, folder, sharedDriveId }: RootFolderOptions,
  make: (parent: string, name: string) => Promise<Made>,
): Promise<string | Made> {
  const byId = idPattern.test(folder) ? await folderOfId(api, folder) : undefined
  if (byId !== undefined) {
    assertDrive(byId, sharedDriveId)
    return byId.id
  }
  const names = folder.split('/').filter((name) => name !== '')
  let { id } = await api.getFile(sharedDriveId ?? 'root')
  for (const name of names) {
    const found = (await childFolder(api, id, name))?.id ?? (await make(id, name))
    if (found === undefined) return found
    id = found
  }
  return id
}

async function folderOfId(api: GoogleApi, id: string): Promise<GoogleFile | undefined> {
  const file = await api.findFile(id)
  if (file === undefined) return undefined
  if (file.mimeType === folderType && !file.trashed) return file
  const what = file.trashed ? 'is in the trash' : 'is not a folder'
  throw new PrivateDriveError('unavailable', `DRIVE: ${file.name} (${id}) on Google Drive ${what}.`)
}

/** Lists and the feed of changes cover only one drive of the account. */
function assertDrive({ id, name, driveId }: GoogleFile, sharedDriveId: string | undefined): void {
  if (driveId === sharedDriveId || id === sharedDriveId) return
  const where =
    driveId === undefined
      ? 'is in My Drive: unset GDRIVE_SHARED_DRIVE'
      : `is in a shared drive: set GDRIVE_SHARED_DRIVE=${driveId}`
  throw new PrivateDriveError('unavailable', `DRIVE: ${name} (${id}) on Google Drive ${where}.`)
}

/** Below the root, beside the buckets; no bucket's name begins with a dot. */
const folderName = '.bucketry-owner'

/** How long a new file may be missing from the list of its folder. */
const defaultSettleMs = 3_000

/**
 * The notes of a Google Drive. Each note is an empty file, named with the kind of note and its
 * text: a name can be changed in one call, creates no revision, and is visible to every OAuth
 * client.
 */
export class GoogleNotes implements DriveNotes {
  readonly settleMs: number
  readonly #root: RootFolderOptions
  /** Ids of known notes: a lookup by id returns the current file, while lists lag. */
  readonly #ids = new Map<NoteName, string>()

  constructor(root: RootFolderOptions, settleMs = defaultSettleMs) {
    this.#root = root
    this.settleMs = settleMs
  }

  async read(name: NoteName): Promise<string | undefined> {
    const file = await this.#find(name)
    return file && textOf(name, file)
  }

  /** Google allows several files of one name: the one created first counts. */
  async create(name: NoteName, text: string): Promise<boolean> {
    const { api } = this.#root
    const root = await makeRootFolder(this.#root)
    const folder = await makeChildFolder(api, root, folderName)
    if ((await this.#firstIn(folder.id, name)) !== undefined) return false
    const made = await api.createFile(noteIn(folder.id, name, text))
    await sleep(this.settleMs)
    const first = await this.#firstIn((await this.#folderIn(root))?.id ?? folder.id, name)
    if (first === undefined || first.id === made.id) return true
    await api.delete(made.id)
    return false
  }

  async write(name: NoteName, text: string): Promise<void> {
    const { api } = this.#root
    const file = await this.#find(name)
    if (file !== undefined) {
      await api.updateFile(file.id, { name: nameOf(name, text) })
      return
    }
    const folder = await this.#folder()
    if (!folder) {
      const message = `The folder ${folderName} on Google Drive no longer exists.`
      throw new DriveError('unavailable', `${message} Restore it from the trash, then restart.`)
    }
    const { id } = await api.createFile(noteIn(folder.id, name, text))
    this.#ids.set(name, id)
  }

  async #find(name: NoteName): Promise<GoogleFile | undefined> {
    const known = this.#ids.get(name)
    if (known !== undefined) {
      const file = await this.#root.api.findFile(known)
      if (file?.trashed === false) return file
      this.#ids.delete(name)
    }
    const folder = await this.#folder()
    const found = folder ? await this.#firstIn(folder.id, name) : undefined
    if (found !== undefined) this.#ids.set(name, found.id)
    return found
  }

  async #folder(): Promise<GoogleFile | undefined> {
    const root = await findRootFolder(this.#root)
    return root === undefined ? undefined : await this.#folderIn(root)
  }

  async #folderIn(root: string): Promise<GoogleFile | undefined> {
    return await childFolder(this.#root.api, root, folderName)
  }

  /** The oldest note of this kind in the folder. */
  async #firstIn(folder: string, name: NoteName): Promise<GoogleFile | undefined> {
    const found: GoogleFile[] = []
    for await (const files of folderPages(this.#root.api, folder)) {
      found.push(...files.filter((file) => textOf(name, file) !== undefined))
    }
    return oldestFirst(found)[0]
  }
}

function noteIn(folder: string, name: NoteName, text: string) {
  return { name: nameOf(name, text), mimeType: 'text/plain', parents: [folder] } as const
}

function nameOf(name: NoteName, text: string): string {
  return `${name} ${text}`
}

function textOf(name: NoteName, file: GoogleFile): string | undefined {
  const prefix = `${name} `
  return file.name.startsWith(prefix) ? file.name.slice(prefix.length) : undefined
}
