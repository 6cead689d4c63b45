import crypto from 'node:crypto'
import { dirname } from 'node:path'
import { CallThread } from '../../../../platform/process/call-thread.ts'
import { type ProcessName, thisProcess } from '../../../../platform/process/identity.ts'
import { closeFile, fs, openFile } from '../file-calls.ts'
import { makePrivateFolder, syncFolderAt } from '../folders/open-folder.ts'
import { removeTree } from '../folders/own-folders.ts'
import { codeOf, unlessAbsent } from '../fs-error.ts'
import type { LocalRoot } from '../local-root.ts'
import { isCompleteName } from '../objects/fence.ts'
import { type FileIdentity, folderIdentityOf, lastingPart } from '../objects/file-identity.ts'
import { fsyncFile, markFlags } from '../objects/paced-files.ts'

const sinceName = 'since'
/** The time of a note without unsynced writes. */
const cleanMs = 0
/** More are removed by a thread: in the thread pool, each takes several times the CPU time of the call itself. */
const fewLinks = 32
/** Between the name of a process and the identity of its note. */
const separator = '~'

/**
 * What a restart needs after a power failure: since when this process has written objects that may not be on the disk, and
 * the files that they replaced. It is a folder in `.bucketry/unsynced`. The time is the modification time of an empty file in
 * it, because a change of times is never torn; the replaced files are links in a folder for each round (relaxed-writes.ts).
 * The folder's name has the identity of the empty file. In a copy of the drive, such as a restored backup, that is another one:
 * its files were read from the memory of the system, and no file has the identity in its record.
 */
export class UnsyncedNote {
  readonly #root: LocalRoot
  readonly #thread = new CallThread<string, undefined>(
    new URL('./unlink-thread.ts', import.meta.url),
    { resourceLimits: { maxYoungGenerationSizeMb: 1 } },
  )
  #name = ''
  #fd: number | undefined
  #round = 0
  /** The last change of the time: they come one after the other. */
  #last: Promise<void> = Promise.resolve()

  constructor(root: LocalRoot) {
    this.#root = root
  }

  /** The number of the round whose folder `linkOf` names. */
  get round(): number {
    return this.#round
  }

  get #path(): string {
    return `${this.#root.folders.at('unsynced')}/${this.#name}`
  }

  /** Durable when resolved: it must come before the first write. */
  mark(sinceMs: number): Promise<void> {
    return this.#after(async () => {
      await this.#closeRemoved()
      this.#fd ??= await this.#create()
      await this.#root.files.setModified(this.#fd, sinceMs)
      await fsyncFile(this.#fd)
      await syncFolderAt(this.#path)
      await this.#root.folders.sync('unsynced')
    })
  }

  /** Everything written before is on the disk. If a power failure undoes this call, a restart looks at more files. */
  move(sinceMs = cleanMs): Promise<void> {
    return this.#after(async () => {
      if (this.#fd !== undefined) await this.#root.files.setModified(this.#fd, sinceMs)
    })
  }

  #after(change: () => Promise<void>): Promise<void> {
    const mine = this.#last.then(change)
    this.#last = mine.catch(() => undefined)
    return mine
  }

  /** A process in another container removes the note of one that has not written for long (restore-torn.ts). */
  async #closeRemoved(): Promise<void> {
    const fd = this.#fd
    if (fd === undefined || (await this.#root.files.fstat(fd)).nlink > 0) return
    this.#fd = undefined
    await closeFile(fd)
  }

  async #create(): Promise<number> {
    this.#name = noteName(crypto.randomUUID())
    const made = this.#path
    await makePrivateFolder(made)
    const fd = await openFile(`${made}/${sinceName}`, markFlags, 0o600)
    try {
      const { files, hasBirthtime } = this.#root
      // As of a folder: without the time, which changes.
      this.#name = noteName(folderIdentityOf(await files.fstat(fd), hasBirthtime))
      await files.rename(made, this.#path)
      return fd
    } catch (error) {
      await closeFile(fd)
      throw error
    }
  }

  /** Where to link the file that the one with this identity replaces, wherever that is moved later. */
  linkOf(identity: FileIdentity): string {
    return `${this.linkFolder()}/${lastingPart(identity)}`
  }

  linkFolder(): string {
    return `${this.#path}/${this.#round}`
  }

  /**
   * Replaced files go to another folder from now on. Returns a function that removes those of the folders before.
   *
   * @param inUse the first round whose folder a write may still link a file into: its folder and later ones stay
   */
  nextRound(inUse = Number.POSITIVE_INFINITY): () => Promise<void> {
    this.#round += 1
    const round = Math.min(this.#round, inUse)
    return async () => {
      if (this.#fd === undefined) return
      const names = await unlessAbsent(() => fs.promises.readdir(this.#path))
      for (const name of names ?? []) {
        if (Number(name) < round) await this.#removeLinks(`${this.#path}/${name}`)
      }
    }
  }

  async #removeLinks(folder: string): Promise<void> {
    const names = (await unlessAbsent(() => fs.promises.readdir(folder))) ?? []
    // Without the thread, they take more time.
    if (names.length > fewLinks) await this.#thread.call(folder).catch(() => undefined)
    await removeTree(this.#root, folder)
  }

  /** @param isDurable whether nothing is unsynced any more: then the note is removed */
  async close(isDurable: boolean): Promise<void> {
    await this.#last
    await this.#thread.close()
    if (this.#fd === undefined) return
    await closeFile(this.#fd)
    this.#fd = undefined
    if (isDurable) await removeTree(this.#root, this.#path)
  }
}

/** Links the file that is to be replaced. */
export async function keepReplaced(root: LocalRoot, from: string, to: string): Promise<void> {
  try {
    return await root.files.link(from, to)
  } catch (error) {
    // An attempt that failed may have linked another file.
    if (codeOf(error) === 'EEXIST') await fs.promises.unlink(to)
    else if (codeOf(error) !== 'ENOENT') throw error
  }
  await fs.promises.mkdir(dirname(to), { recursive: true, mode: 0o700 })
  // Another program may have removed the file.
  if ((await root.files.lstat(from)) !== undefined) await root.files.link(from, to)
}

/** As `keepReplaced`, with synchronous calls, for a thread. */
export function keepReplacedNow(from: string, to: string): void {
  try {
    fs.linkSync(from, to)
    return
  } catch (error) {
    if (codeOf(error) === 'EEXIST') fs.unlinkSync(to)
    else if (codeOf(error) !== 'ENOENT') throw error
  }
  fs.mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  fs.linkSync(from, to)
}

/** A note of a process that may have ended. */
export interface FoundNote {
  readonly path: string
  readonly process: ProcessName
  /** Undefined if all of its writes are on the disk, or if this is a copy of a note. */
  readonly sinceMs: number | undefined
  /** When the time was last changed, by the kernel's clock. */
  readonly changedAtMs: number
}

/** The notes of all processes. */
export async function readNotes(root: LocalRoot): Promise<FoundNote[]> {
  const folder = root.folders.at('unsynced')
  const notes: FoundNote[] = []
  for (const name of (await unlessAbsent(() => fs.promises.readdir(folder))) ?? []) {
    const { process, identity } = partsOf(name)
    if (process === undefined) continue
    const path = `${folder}/${name}`
    const stats = await unlessAbsent(() => fs.promises.lstat(`${path}/${sinceName}`))
    const isOwn = stats && folderIdentityOf(stats, root.hasBirthtime) === identity
    const sinceMs = isOwn && stats.mtimeMs !== cleanMs ? stats.mtimeMs : undefined
    notes.push({ path, process, sinceMs, changedAtMs: stats?.ctimeMs ?? 0 })
  }
  return notes
}

/** The name of a note of this process. */
function noteName(identity: string): string {
  return `${encodeURIComponent(thisProcess)}${separator}${identity}`
}

function partsOf(name: string): { process?: ProcessName; identity?: string } {
  const [encoded = '', identity] = name.split(separator)
  if (identity === undefined) return {}
  try {
    const process = decodeURIComponent(encoded)
    return isCompleteName(process) ? { process, identity } : {}
  } catch {
    return {}
  }
}

/** The paths of the files that were replaced, by the `lastingPart` of those that replaced them. */
export async function replacedFiles(
  notes: readonly FoundNote[],
): Promise<ReadonlyMap<string, string>> {
  const paths = new Map<string, string>()
  // Another process that starts may have restored everything, and be removing the note.
  const namesIn = async (folder: string) =>
    (await unlessAbsent(() => fs.promises.readdir(folder))) ?? []
  for (const note of notes) {
    for (const round of await namesIn(note.path)) {
      if (round === sinceName) continue
      const folder = `${note.path}/${round}`
      for (const name of await namesIn(folder)) paths.set(name, `${folder}/${name}`)
    }
  }
  return paths
}
