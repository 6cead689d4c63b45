import fs from 'node:fs'
import { DriveError } from '../../drive.ts'
import { codeOf } from '../fs-error.ts'
import { type LocalRoot, requireOwnFolder } from '../local-root.ts'
import { displacedBy, type Place, type Spot } from '../object-path.ts'
import type { AttributeCache } from '../objects/attribute-cache.ts'
import { folderIdentityOf } from '../objects/file-identity.ts'
import type { KeyLocks } from '../objects/key-locks.ts'
import { describe } from '../objects/object-files.ts'
import type { FolderJournal, JournalEntry } from './folder-journal.ts'
import { makeFolders } from './make-folders.ts'
import { OpenFolder } from './open-folder.ts'

/** How often a folder may vanish or a file come in its way while it is made. */
const attempts = 16

/**
 * Codes of rmdir for what must stay: not empty, in use, or replaced by hand with a file or link.
 */
const staysCodes = new Set(['ENOTEMPTY', 'EEXIST', 'EBUSY', 'EACCES', 'EPERM', 'ENOTDIR'])

export interface MadeFolder {
  /** The caller closes it. */
  readonly folder: OpenFolder
  /** The folders that were made for it: to be remembered as the drive's own, or removed again. */
  readonly made: readonly MadeName[]
  /** To be closed when they are. */
  readonly entry: JournalEntry | undefined
}

export interface MadeName {
  /** Below the root. */
  readonly path: string
  readonly identity: string
}

export interface FolderMakerParts {
  readonly root: LocalRoot
  readonly locks: KeyLocks
  readonly known: AttributeCache
  readonly journal: FolderJournal
}

interface Making {
  readonly place: Place
  readonly made: MadeName[]
  readonly entry: JournalEntry
}

/** Makes the folders that keys need and removes them when they are empty again. */
export class FolderMaker {
  readonly #root: LocalRoot
  readonly #locks: KeyLocks
  readonly #known: AttributeCache

  readonly #journal: FolderJournal

  constructor({ root, locks, known, journal }: FolderMakerParts) {
    this.#root = root
    this.#locks = locks
    this.#known = known
    this.#journal = journal
  }

  /**
   * The folder of one of the place's spots, made where it is absent. An object whose file is in
   * the way goes to its alternative path, under its lock: call this without the lock of the place.
   * @throws DriveError `denied` when a symbolic link or a file that is not an object is in the way.
   */
  async ensure(place: Place, spot: Spot): Promise<MadeFolder> {
    const existing = await OpenFolder.open(this.#root, spot.folder)
    if (existing !== undefined) return { folder: existing, made: [], entry: undefined }
    const making: Making = { place, made: [], entry: this.#journal.open() }
    try {
      for (let attempt = 0; attempt < attempts; attempt++) {
        const folder = await this.#make(making, spot.folder.split('/'))
        if (folder !== undefined) return { folder, made: making.made, entry: making.entry }
      }
    } catch (error) {
      await this.unmake(place, spot, making.made)
      await making.entry.close()
      throw error
    }
    await making.entry.close()
    const message = 'The folder keeps being removed by another client. Try again.'
    throw new DriveError('busy', message, { retryAfterSeconds: 1 })
  }

  /**
   * Removes folders that were created in vain, or are no longer needed. Never rejects: the error
   * that led here is the one to report. A folder that stays is removed with the next object that is
   * deleted from it.
   */
  async unmake(place: Place, spot: Spot, made: readonly MadeName[]): Promise<void> {
    await this.removeEmpty(place, spot, made).catch(() => undefined)
  }

  /**
   * Removes the spot's folder and those above it, up to but not including the bucket's, as far as
   * they are empty and were made by the drive.
   * @param made folders known to be the drive's own, though not remembered as such.
   */
  async removeEmpty(
    place: Place,
    spot: Spot,
    made: readonly Pick<MadeName, 'path'>[] = [],
  ): Promise<void> {
    const own = new Set(made.map(({ path }) => path))
    const components = spot.folder.split('/')
    while (components.length > 1) {
      const name = components.pop() ?? ''
      const parent = await OpenFolder.open(this.#root, components.join('/'))
      // Gone already, by a crash on the way perhaps: those above may still be there.
      if (parent === undefined) continue
      try {
        const isOwn = own.has(this.#below(`${parent.path}/${name}`))
        if (!(await this.#removeOne(parent, name, isOwn))) return
        await this.#restoreNatural(place, parent, name)
      } finally {
        await parent.close()
      }
    }
  }

  /** Undefined when a folder vanished on the way. */
  async #make(making: Making, components: readonly string[]): Promise<OpenFolder | undefined> {
    const [bucket = '', ...names] = components
    let folder = (await OpenFolder.open(this.#root, bucket)) ?? (await this.#makeBucket(bucket))
    for (const name of names) {
      const parent = folder
      const child = await this.#makeChild(making, parent, name).finally(() => parent.close())
      if (child === undefined) return undefined
      folder = child
    }
    return folder
  }

  async #makeChild(
    { place, made, entry }: Making,
    parent: OpenFolder,
    name: string,
  ): Promise<OpenFolder | undefined> {
    const existing = await parent.openChild(name)
    if (existing !== undefined) return existing
    if ((await this.#root.files.lstat(parent.at(name))) !== undefined) {
      await this.#makeWay(place, parent, name)
    }
    const path = this.#below(`${parent.path}/${name}`)
    await entry.note({ bucket: place.bucket, key: place.key, making: [path] })
    const outcome = await makeFolder(parent, name)
    if (outcome === 'no parent') return undefined
    const child = await parent.openChild(name)
    if (child !== undefined && outcome === 'made') {
      const identity = folderIdentityOf(await child.stats(), this.#root.hasBirthtime)
      made.push({ path, identity })
    }
    return child
  }

  /** Only after its folder was removed by hand: `prepare` made it once. */
  async #makeBucket(bucket: string): Promise<OpenFolder> {
    await requireOwnFolder(this.#root)
    await makeFolders(`${this.#root.path}/${bucket}`)
    const folder = await OpenFolder.open(this.#root, bucket)
    if (folder !== undefined) return folder
    throw new DriveError('denied', `The folder of bucket ${bucket} is not a regular folder.`)
  }

  /** Moves the file that has a folder's name to its alternative path. */
  async #makeWay(place: Place, parent: OpenFolder, name: string): Promise<void> {
    const path = `${parent.path}/${name}`
    const owner = displacedBy(place, this.#below(path))
    if (owner === undefined) throw inTheWay(this.#below(path))
    const lock = await this.#locks.acquire(owner.path)
    try {
      const stats = await this.#root.files.lstat(parent.at(name))
      if (stats === undefined || stats.isDirectory()) return
      if (!stats.isFile()) throw inTheWay(this.#below(path))
      await this.#moveAside(owner, parent, stats)
    } finally {
      await lock.release()
    }
  }

  async #moveAside(owner: Place, parent: OpenFolder, stats: fs.Stats): Promise<void> {
    const from = parent.at(owner.natural.name)
    if (owner.alternative.folder === owner.natural.folder) {
      return await this.#root.files.rename(from, parent.at(owner.alternative.name))
    }
    // The suffix made the name so long that it is cut and has a folder of its own.
    const { folder, made, entry } = await this.ensure(owner, owner.alternative)
    try {
      if (made.length > 0) {
        const file = { ...describe(stats, this.#root), place: owner.path }
        const own = made.map(({ identity }) => identity)
        await this.#known.save(file, await this.#known.of(file), own)
      }
      await this.#root.files.rename(from, folder.at(owner.alternative.name))
      // Before the folder that it left is: else a power cut could leave it in neither.
      await folder.sync()
    } finally {
      await folder.close()
      await entry?.close()
    }
  }

  /** Gives an object its natural path back when the folder that had it is gone. */
  async #restoreNatural(place: Place, parent: OpenFolder, name: string): Promise<void> {
    const owner = displacedBy(place, this.#below(`${parent.path}/${name}`))
    if (owner === undefined || owner.alternative.folder !== owner.natural.folder) return
    const alternative = parent.at(owner.alternative.name)
    if (!(await this.#root.files.lstat(alternative))?.isFile()) return
    const lock = await this.#locks.acquire(owner.path)
    try {
      // A link, because it never replaces a file that was put there meanwhile.
      await this.#root.files.link(alternative, parent.at(name))
      await this.#root.files.unlink(alternative)
    } catch {
      // Somebody was faster, or the file system has no links: it is as good where it is.
    } finally {
      await lock.release()
    }
  }

  #below(path: string): string {
    return path.slice(this.#root.path.length + 1)
  }

  /** False when it is not empty, not the drive's own, or already gone. */
  async #removeOne(parent: OpenFolder, name: string, isOwn: boolean): Promise<boolean> {
    const stats = await this.#root.files.lstat(parent.at(name))
    if (!stats?.isDirectory()) return stats === undefined
    const identity = folderIdentityOf(stats, this.#root.hasBirthtime)
    if (!isOwn && !(await this.#known.isOwnFolder(identity))) return false
    try {
      await fs.promises.rmdir(parent.at(name))
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return true
      if (staysCodes.has(codeOf(error))) return false
      throw error
    }
    this.#known.forgetFolder(identity)
    return true
  }
}

async function makeFolder(
  parent: OpenFolder,
  name: string,
): Promise<'made' | 'exists' | 'no parent'> {
  try {
    await fs.promises.mkdir(parent.at(name))
    return 'made'
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'no parent'
    // Another process created it, or put a file there: the caller checks.
    if (codeOf(error) === 'EEXIST') return 'exists'
    throw error
  }
}

/** @param path below the root: where that is on this machine is not for clients. */
function inTheWay(path: string): DriveError {
  const message = `${path} must be a folder for this key, but is not.`
  return new DriveError('denied', `${message} Move it away.`)
}
