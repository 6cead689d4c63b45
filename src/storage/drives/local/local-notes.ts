import { thisProcess } from '../../../platform/process/identity.ts'
import { DriveError } from '../drive-error.ts'
import type { DriveNotes, NoteName } from '../drive-notes.ts'
import { fs } from './file-calls.ts'
import {
  type FolderRoot,
  makeFolderDurably,
  makePrivateFolder,
  OpenFolder,
  syncFolderAt,
} from './folders/open-folder.ts'
import { makeChild, openOwnFolder, ownFolderName } from './folders/own-folders.ts'
import { cannotLink, codeOf, unlessAbsent, withDriveErrors } from './fs-error.ts'
import { folderRootAt } from './local-root.ts'

/** The notes of a folder: `.bucketry/owner.json` and others. */
export class LocalNotes implements DriveNotes {
  readonly settleMs = 0
  readonly #path: string
  /** Undefined while there is no such folder. */
  #root: FolderRoot | undefined
  /** The file system of the drive's own folder when it was first opened. */
  #device: number | undefined
  /** The owner note as last read or written. */
  #owner: string | undefined

  /** @param path of the root, without symbolic links. It need not exist (`realFolderPath`) */
  constructor(path: string) {
    this.#path = path
  }

  async read(name: NoteName): Promise<string | undefined> {
    return await withDriveErrors(`read the note ${name}`, async () => {
      const root = await unlessAbsent(() => this.#openRoot())
      const own = root && (await OpenFolder.open(root, ownFolderName))
      if (own === undefined) return undefined
      try {
        const text = await own.read(fileOf(name))
        await this.#assertSameDevice(own)
        if (name === 'owner') this.#owner = text
        return text
      } finally {
        await own.close()
      }
    })
  }

  async create(name: NoteName, text: string): Promise<boolean> {
    return await withDriveErrors(`create the note ${name} in ${this.#path}`, async () => {
      await makeFolderDurably(this.#path)
      await makePrivateFolder(`${this.#path}/${ownFolderName}`)
      const isNew = await this.#withDraft(text, { isDurable: true }, async (draft, own) => {
        if (!(await linkNew(draft, own.at(fileOf(name)), text))) return false
        await own.sync()
        return true
      })
      if (isNew) await syncFolderAt(this.#path)
      return isNew
    })
  }

  async write(name: NoteName, text: string): Promise<void> {
    await withDriveErrors(`write the note ${name}`, async () => {
      // A heartbeat is useless after a power failure.
      const isDurable = name !== 'alive'
      await this.#withDraft(text, { isDurable }, async (draft, own) => {
        await fs.promises.rename(draft, own.at(fileOf(name)))
        if (name === 'owner') this.#owner = text
        if (isDurable) await own.sync()
      })
    })
  }

  async #openRoot(): Promise<FolderRoot> {
    this.#root ??= await folderRootAt(this.#path)
    return this.#root
  }

  /**
   * Runs `use` with a new file in the folder of this process, which is swept after the process has ended. Creates nothing
   * if the drive's own folder is missing.
   */
  async #withDraft<R>(
    text: string,
    { isDurable }: { readonly isDurable: boolean },
    use: (draft: string, own: OpenFolder) => Promise<R>,
  ): Promise<R> {
    const folders: OpenFolder[] = [await openOwnFolder(await this.#openRoot())]
    try {
      const [own] = folders as [OpenFolder]
      await this.#assertSameDevice(own)
      let folder = own
      for (const name of ['tmp', encodeURIComponent(thisProcess)]) {
        folder = await makeChild(folder, name)
        folders.push(folder)
      }
      const path = folder.at(`note-${crypto.randomUUID()}`)
      try {
        await fs.promises.writeFile(path, text, { flag: 'wx', mode: 0o600, flush: isDurable })
        return await use(path, own)
      } finally {
        // Also after a failure: otherwise every heartbeat on a full disk would leave a file.
        await fs.promises.rm(path, { force: true })
      }
    } finally {
      for (const folder of folders) await folder.close()
    }
  }

  /**
   * Compares the file systems. A network file system may have another device number after a remount: then the owner note
   * shows that it is the same drive.
   *
   * @throws DriveError `unavailable` when another file system is mounted at the path
   */
  async #assertSameDevice(own: OpenFolder): Promise<void> {
    const { dev } = await own.stats()
    this.#device ??= dev
    if (dev === this.#device) return
    if (this.#owner !== undefined && (await own.read(fileOf('owner'))) === this.#owner) {
      this.#device = dev
      return
    }
    const message = "The drive's folder is on a different file system than before."
    throw new DriveError('unavailable', `${message} Check that it is mounted, then restart.`)
  }
}

function fileOf(name: NoteName): string {
  return `${name}.json`
}

/** Links the draft to the path; false if a file exists there. */
async function linkNew(draft: string, path: string, text: string): Promise<boolean> {
  try {
    await fs.promises.link(draft, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    if (!cannotLink(error)) throw error
  }
  try {
    await fs.promises.writeFile(path, text, { flag: 'wx', mode: 0o600, flush: true })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}
