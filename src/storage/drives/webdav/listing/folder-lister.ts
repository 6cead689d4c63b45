import { SizedCache } from '../../../../platform/process/sized-cache.ts'
import { compareKeys } from '../../../../platform/text/key-order.ts'
import { DriveError } from '../../drive-error.ts'
import type { FolderNames } from '../../kit/folder-cursor.ts'
import { decodeName } from '../../kit/names/key-path.ts'
import { type ListedAttributes, listedAttributes } from '../../listed-entry.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavChild } from '../client/propfind.ts'
import type { DavContext } from '../dav-context.ts'
import { readRecord } from '../objects/attribute-store.ts'
import { davPathOf, textOf } from '../objects/object-path.ts'
import { leaseKeysOf, writtenObjectOf } from '../objects/recovery-record.ts'

/** Attempts to read a folder while others write in it. */
const maxReadings = 3
/** The maximum number of cached names in all folders: about 50 MB. */
const maxCachedNames = 100_000
/** The memory of a cached folder itself, as a number of names. */
const namesPerFolder = 10
/** The maximum number of pieces of a name: cut names are stored in nested folders. */
const maxContinuations = 1_100
/** The maximum number of objects that are looked up because they were being written. */
const maxLateLooks = 50

export interface FolderListerParts extends DavContext {
  /** How long a folder may be cached for later pages, milliseconds. */
  readonly cacheMs: number
}

interface CachedFolder {
  readonly index: DavFolderIndex
  readonly revision: number
  readonly readAtMs: number
}

/** A folder in which cut names continue. */
interface OpenFolder {
  readonly below: readonly string[]
  /** The beginning of the name, from the folders above. */
  readonly continued: string | undefined
}

interface Watch {
  /** Recovery records of live writers. */
  readonly writers: readonly string[]
  /** Recovery records of dead writers. */
  readonly dead: readonly string[]
  readonly revision: number
}

/**
 * Reads complete folders, because WebDAV has neither pages nor an order. Later pages may use the folder
 * that was read for an earlier one, if no process of ours has written in it since.
 */
export class FolderLister {
  readonly #parts: FolderListerParts
  readonly #cache = new SizedCache<CachedFolder>(maxCachedNames)

  constructor(parts: FolderListerParts) {
    this.#parts = parts
  }

  /** Undefined when the folder does not exist. */
  async read(
    path: DavPath,
    options: { mayBeCached: boolean },
  ): Promise<DavFolderIndex | undefined> {
    const folderKey = textOf(path)
    const cached = options.mayBeCached ? await this.#cached(folderKey) : undefined
    if (cached !== undefined) return cached
    const names = new Map<string, ListedName>()
    const writers = new Set<string>()
    for (let reading = 0; reading < maxReadings; reading++) {
      const before = await this.#watchRecovered(folderKey)
      const found = await this.#readNames(path)
      if (found === undefined) return undefined
      const after = await this.#watch(folderKey)
      const isQuiet = before.writers.length + after.writers.length === 0
      const noneDied = after.dead.length === before.dead.length
      if (isQuiet && noneDied && before.revision === after.revision) {
        return this.#addToCache(folderKey, new DavFolderIndex(found), after.revision)
      }
      // An object that is being overwritten may be missing from one reading. One that is missing only from
      // the last reading was created or deleted meanwhile, and may be listed.
      for (const record of [...before.writers, ...after.writers]) writers.add(record)
      const written = namesOf([...writers, ...before.dead, ...after.dead])
      for (const one of found) {
        const id = `${one.name}\0${one.isAlternative}`
        // A version that two readings show, with no writer in between, is complete.
        const isSeenTwice = names.get(id)?.version === one.version && one.path.length === 1
        names.set(id, { ...one, isUnsure: !isSeenTwice || written.has(one.name) })
      }
    }
    const late = await this.#lookForWritten(path, writers, new DavFolderIndex(names.values()))
    return new DavFolderIndex([...late, ...names.values()])
  }

  async #watch(folderKey: string): Promise<Watch> {
    const { leases } = this.#parts
    const below = await leases.heldBelow([folderKey])
    const { revisions } = await leases.look([], [folderKey])
    const recordsOf = (isLive: boolean) =>
      below.filter((lease) => leases.isLive(lease) === isLive).map(({ note }) => note)
    return { writers: recordsOf(true), dead: recordsOf(false), revision: revisions[0] ?? 0 }
  }

  /** As `#watch`, after the interrupted work of dead processes in the folder has been recovered. */
  async #watchRecovered(folderKey: string): Promise<Watch> {
    const seen = await this.#watch(folderKey)
    if (seen.dead.length === 0) return seen
    for (const record of seen.dead.slice(0, maxLateLooks)) await this.#recover(record)
    return await this.#watch(folderKey)
  }

  async #recover(record: string): Promise<void> {
    const { leases, rules } = this.#parts
    try {
      await leases.recoverEnded(leaseKeysOf(record, rules))
    } catch (error) {
      // A full server may have no space for the recovered object. To free some, clients need the listing.
      const isRefused =
        error instanceof DriveError && (error.kind === 'full' || error.kind === 'denied')
      if (!isRefused) throw error
    }
  }

  /** Objects that were being written and that no reading showed. */
  async #lookForWritten(
    path: DavPath,
    records: ReadonlySet<string>,
    index: DavFolderIndex,
  ): Promise<ListedName[]> {
    const { finder, store, rules } = this.#parts
    const late: ListedName[] = []
    for (const record of [...records].slice(0, maxLateLooks)) {
      const target = writtenObjectOf(record)
      if (target === undefined) continue
      const name = lastSegmentOf(target.key)
      if (index.has(name)) continue
      const object = davPathOf(target.bucket, target.key, rules)
      const found = await finder.find(object)
      if (found === undefined) continue
      const { size, modifiedAtMs, attributes } = found.metadata
      late.push({
        ...{ name, size, modifiedAtMs, attributes: listedAttributes(attributes) },
        path: found.path.slice(path.length),
        isFolder: false,
        isAlternative: found.path !== object.natural,
        version: store.versionOf(found.entry),
      })
    }
    return late
  }

  /** The folder's names, including those that continue in folders of cut names. */
  async #readNames(path: DavPath): Promise<ListedName[] | undefined> {
    const names: ListedName[] = []
    const open: OpenFolder[] = [{ below: [], continued: undefined }]
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      const next = one
      const { below } = next
      const keep = (child: DavChild) => this.#read(child, next)
      const folder = await this.#parts.server.listAs([...path, ...below], keep)
      if (folder === undefined && below.length === 0) return undefined
      for (const child of folder?.children ?? []) {
        if (child === undefined) continue
        if ('below' in child) open.push(child)
        else names.push(child)
      }
    }
    return names
  }

  /** The kind of a child: a name, a folder in which cut names continue, or a foreign file. */
  #read(child: DavChild, { below, continued }: OpenFolder): ListedName | OpenFolder | undefined {
    const at = { isFile: !child.isFolder, ...(continued !== undefined && { continued }) }
    const decoded = decodeName(child.name, at, this.#parts.rules)
    if (decoded?.kind === 'segment') return this.#nameOf(child, below, decoded)
    if (decoded === undefined || below.length >= maxContinuations) return undefined
    return { below: [...below, child.name], continued: decoded.continued }
  }

  #nameOf(
    child: DavChild,
    below: readonly string[],
    { segment, isAlternative }: { segment: string; isAlternative: boolean },
  ): ListedName {
    const version = this.#parts.store.versionOf(child)
    const record = readRecord(child.record, version)
    return {
      name: child.isFolder ? `${segment}/` : segment,
      path: [...below, child.name],
      isFolder: child.isFolder,
      isAlternative,
      size: child.size,
      modifiedAtMs: child.modifiedAtMs,
      version,
      attributes: record && listedAttributes(record.attributes),
    }
  }

  async #cached(folderKey: string): Promise<DavFolderIndex | undefined> {
    const cached = this.#cache.get(folderKey)
    if (cached === undefined || cached.readAtMs + this.#parts.cacheMs < performance.now()) {
      return undefined
    }
    const { revisions } = await this.#parts.leases.look([], [folderKey])
    return revisions[0] === cached.revision ? cached.index : undefined
  }

  #addToCache(folderKey: string, index: DavFolderIndex, revision: number): DavFolderIndex {
    const size = index.count + namesPerFolder
    const cached = { index, revision, readAtMs: performance.now() }
    if (size <= maxCachedNames) this.#cache.set(folderKey, cached, size)
    else this.#cache.delete(folderKey)
    return index
  }
}

function lastSegmentOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1)
}

/** The names of the objects that the writers with these recovery records write. */
function namesOf(records: readonly string[]): ReadonlySet<string> {
  return new Set(records.map((record) => lastSegmentOf(writtenObjectOf(record)?.key ?? '')))
}

/** A name in a folder, with what a listing needs. */
export interface ListedName {
  /** The key's segment, followed by `/` if it is a folder. */
  readonly name: string
  /** Names below the folder that was read: several when the name was cut. */
  readonly path: readonly string[]
  readonly isFolder: boolean
  /** The object's file is at its alternative path. */
  readonly isAlternative: boolean
  readonly size: number
  readonly modifiedAtMs: number
  readonly version: string
  /** From the listing; undefined if it must be read from the database. */
  readonly attributes: ListedAttributes | undefined
  /** It may have been written while its folder was read, so that it may have an ETag after all. */
  readonly isUnsure?: boolean
}

/** The names in one folder, in key order. */
export class DavFolderIndex implements FolderNames {
  readonly #names: readonly ListedName[]

  /** @param names in any order; if an object has two files, the one at the natural path is used */
  constructor(names: Iterable<ListedName>) {
    const byName = new Map<string, ListedName>()
    for (const one of names) {
      const other = byName.get(one.name)
      if (other === undefined || other.isAlternative) byName.set(one.name, one)
    }
    this.#names = [...byName.values()].sort((a, b) => compareKeys(a.name, b.name))
  }

  get count(): number {
    return this.#names.length
  }

  at(position: number): ListedName {
    const listed = this.#names[position]
    if (listed === undefined) throw new RangeError(`no name at ${position}`)
    return listed
  }

  name(position: number): string {
    return this.at(position).name
  }

  isFolder(position: number): boolean {
    return this.at(position).isFolder
  }

  has(name: string): boolean {
    return this.#names[this.lowerBound(name)]?.name === name
  }

  /** The position of the first name that is not less than `text`; `count` when there is none. */
  lowerBound(text: string): number {
    let [low, high] = [0, this.#names.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareKeys(this.#names[middle]?.name ?? '', text) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}
