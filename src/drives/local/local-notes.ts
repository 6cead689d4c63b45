import fs from 'node:fs'
import { thisProcess } from '../../process/identity.ts'
import { DriveError } from '../drive.ts'
import type { DriveNotes, NoteName } from '../drive-notes.ts'
import { makeFolderDurably, makePrivateFolder, syncFolderAt } from './folders/durable-folders.ts'
import { cannotLink, codeOf, unlessAbsent, withDriveErrors } from './fs-error.ts'
import { hasOwnerNote, ownFolderName } from './local-root.ts'

/** The notes of a folder: `.bucketry/owner.json` and others. */
export class LocalNotes implements DriveNotes {
  readonly settleMs = 0
  readonly #root: string
  /** The file system that the drive's own folder was first seen on. */
  #device: number | undefined
  /** The owner note as last read or written. */
  #owner: string | undefined

  /** @param root its real path, which need not exist (`realFolderPath`) */
  constructor(root: string) {
    this.#root = root
  }

  async read(name: NoteName): Promise<string | undefined> {
    return await withDriveErrors(`read the note ${name}`, async () => {
      return await unlessAbsent(async () => {
        const text = await fs.promises.readFile(this.#pathOf(name), 'utf8')
        await this.#assertSameDevice()
        if (name === 'owner') this.#owner = text
        return text
      })
    })
  }

  async create(name: NoteName, text: string): Promise<boolean> {
    return await withDriveErrors(`create the note ${name} in ${this.#root}`, async () => {
      await makeFolderDurably(this.#root)
      await makePrivateFolder(this.#ownFolder)
      const link = (draft: string) => linkNew(draft, this.#pathOf(name), text)
      if (!(await this.#withDraft(text, { isDurable: true }, link))) return false
      await syncFolderAt(this.#ownFolder)
      await syncFolderAt(this.#root)
      return true
    })
  }

  async write(name: NoteName, text: string): Promise<void> {
    await withDriveErrors(`write the note ${name}`, async () => {
      await this.#assertSameDevice()
      // A heartbeat is useless after a power failure.
      const isDurable = name !== 'alive'
      const rename = (draft: string) => fs.promises.rename(draft, this.#pathOf(name))
      await this.#withDraft(text, { isDurable }, rename)
      if (name === 'owner') this.#owner = text
      if (isDurable) await syncFolderAt(this.#ownFolder)
    })
  }

  get #ownFolder(): string {
    return `${this.#root}/${ownFolderName}`
  }

  #pathOf(name: NoteName): string {
    return `${this.#ownFolder}/${name}.json`
  }

  /** Runs `use` with a file in the folder of this process, which is swept after the process has ended. */
  async #withDraft<R>(
    text: string,
    { isDurable }: { readonly isDurable: boolean },
    use: (draft: string) => Promise<R>,
  ): Promise<R> {
    const tempFolder = `${this.#ownFolder}/tmp`
    const folder = `${tempFolder}/${encodeURIComponent(thisProcess)}`
    // One by one: without the drive's own folder, nothing is created.
    for (const path of [tempFolder, folder]) await makePrivateFolder(path)
    const path = `${folder}/note-${crypto.randomUUID()}`
    try {
      await fs.promises.writeFile(path, text, { flag: 'wx', mode: 0o600, flush: isDurable })
      return await use(path)
    } finally {
      // Also after a failure: otherwise every heartbeat on a full disk would leave a file.
      await fs.promises.rm(path, { force: true })
    }
  }

  /**
   * A network file system may have another device number after a remount: its owner note shows that it
   * is the same drive.
   *
   * @throws DriveError `unavailable` when another file system is mounted at the path
   */
  async #assertSameDevice(): Promise<void> {
    const { dev } = await fs.promises.lstat(this.#ownFolder)
    this.#device ??= dev
    if (dev === this.#device) return
    if (await hasOwnerNote(this.#root, this.#owner)) {
      this.#device = dev
      return
    }
    const message = "The drive's folder is on a different file system than before."
    throw new DriveError('unavailable', `${message} Check that it is mounted, then restart.`)
  }
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
