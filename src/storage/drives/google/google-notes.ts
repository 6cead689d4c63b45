import { setTimeout as sleep } from 'node:timers/promises'
import { DriveError } from '../drive-error.ts'
import type { DriveNotes, NoteName } from '../drive-notes.ts'
import type { GoogleFile } from './api/google-file.ts'
import { childFolder, folderPages, makeChildFolder } from './index/folder-pages.ts'
import { oldestFirst } from './index/indexed-file.ts'
import { findRootFolder, makeRootFolder, type RootFolderOptions } from './root-folder.ts'

/** Below the root, beside the buckets; no bucket's name begins with a dot. */
const folderName = '.bucketry-owner'

/** How long after its creation a file may be missing in the list of its folder. */
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

  /** The notes' folder, if it and the root exist. */
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
