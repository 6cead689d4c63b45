import { DriveError } from '../../drive.ts'
import { decodeName } from '../../key-path.ts'
import type { DavChild } from '../client/dav-folder.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavContext } from '../dav-context.ts'
import type { AttributeStore } from '../objects/attribute-store.ts'
import { readRecord } from '../objects/dav-attributes.ts'
import type { ObjectFinder } from '../objects/object-finder.ts'
import { objectPathOf, textOf } from '../objects/object-path.ts'
import { leaseKeysOf, writtenObjectOf } from '../objects/recovery-record.ts'
import { DavFolderIndex, type ListedName } from './dav-folder-index.ts'

/** Readings of a folder in which others write. */
const maxReadings = 3
/** Names in memory for the next pages, in all folders together: some 50 MB at most. */
const maxCachedNames = 100_000
const maxCachedFolders = 2_000
/** Cut names are stored in nested folders: a key has at most this many pieces of one. */
const maxContinuations = 1_100
/** Objects that are looked up one by one because they were being written. */
const maxLateLooks = 50

export interface FolderListerParts extends DavContext {
  readonly store: AttributeStore
  readonly finder: ObjectFinder
  /** How long a listing may be used for the pages that follow, milliseconds. */
  readonly cacheMs: number
}

interface CachedFolder {
  readonly index: DavFolderIndex
  readonly revision: number
  readonly readAtMs: number
}

/** A folder that is to be read, for the names that are cut in it. */
interface OpenFolder {
  readonly below: readonly string[]
  /** What of a name is in the names of the folders above. */
  readonly continued: string | undefined
}

/** What is going on in a folder. */
interface Watch {
  /** Notes of those at work. */
  readonly writers: readonly string[]
  /** Notes of those who died at it. */
  readonly dead: readonly string[]
  readonly revision: number
}

/**
 * Reads folders whole: WebDAV has no pages and no order. A listing that goes on behind a key may use
 * one that was read for the page before, as long as no process of ours has written in the folder.
 */
export class FolderLister {
  readonly #parts: FolderListerParts
  readonly #cache = new Map<string, CachedFolder>()
  #cachedNames = 0

  constructor(parts: FolderListerParts) {
    this.#parts = parts
  }

  /** Undefined when the folder does not exist. */
  async read(
    path: DavPath,
    options: { mayBeCached: boolean },
  ): Promise<DavFolderIndex | undefined> {
    const place = textOf(path)
    const cached = options.mayBeCached ? await this.#recall(place) : undefined
    if (cached !== undefined) return cached
    const names = new Map<string, ListedName>()
    const writers = new Set<string>()
    for (let reading = 0; reading < maxReadings; reading++) {
      const before = await this.#settled(place)
      const found = await this.#readNames(path)
      if (found === undefined) return undefined
      const after = await this.#watch(place)
      const isQuiet = before.writers.length + after.writers.length === 0
      const isSettled = after.dead.length === before.dead.length
      if (isQuiet && isSettled && before.revision === after.revision) {
        return this.#remember(place, new DavFolderIndex(found), after.revision)
      }
      // An object that is being overwritten may be missing from one reading. One that is missing
      // from the last reading has come or gone meanwhile, and may show.
      for (const note of [...before.writers, ...after.writers]) writers.add(note)
      const written = namesOf([...writers, ...before.dead, ...after.dead])
      for (const one of found) {
        const id = `${one.name}\0${one.isAlternative}`
        // What two readings show alike, with no writer of it in between, is no half of a write.
        const isSeenTwice = names.get(id)?.version === one.version && one.path.length === 1
        names.set(id, { ...one, isUnsure: !isSeenTwice || written.has(one.name) })
      }
    }
    const late = await this.#lookForWritten(path, writers, new DavFolderIndex(names.values()))
    return new DavFolderIndex([...late, ...names.values()])
  }

  async #watch(place: string): Promise<Watch> {
    const { leases } = this.#parts
    const held = await leases.heldBelow([place])
    const { revisions } = await leases.look([], [place])
    const notesOf = (isLive: boolean) =>
      held.filter((lease) => leases.isLive(lease) === isLive).map(({ note }) => note)
    return { writers: notesOf(true), dead: notesOf(false), revision: revisions[0] ?? 0 }
  }

  /** As `#watch`, after the interrupted work of dead processes in the folder has been recovered. */
  async #settled(place: string): Promise<Watch> {
    const seen = await this.#watch(place)
    if (seen.dead.length === 0) return seen
    for (const note of seen.dead.slice(0, maxLateLooks)) await this.#finish(note)
    return await this.#watch(place)
  }

  async #finish(note: string): Promise<void> {
    const { leases, rules } = this.#parts
    try {
      await leases.recoverEnded(leaseKeysOf(note, rules))
    } catch (error) {
      // On a full server the old object is gone and there is no room for the new one, which nobody was
      // told is there. Who wants to make room needs the listing of the others.
      const isRefused =
        error instanceof DriveError && (error.kind === 'full' || error.kind === 'denied')
      if (!isRefused) throw error
    }
  }

  /** Objects that were being written, and that no reading has shown. */
  async #lookForWritten(
    path: DavPath,
    notes: ReadonlySet<string>,
    index: DavFolderIndex,
  ): Promise<ListedName[]> {
    const { finder, store, rules } = this.#parts
    const late: ListedName[] = []
    for (const note of [...notes].slice(0, maxLateLooks)) {
      const target = writtenObjectOf(note)
      if (target === undefined) continue
      const name = lastSegmentOf(target.key)
      if (index.at(index.lowerBound(name))?.name === name) continue
      const place = objectPathOf(target.bucket, target.key, rules)
      const found = await finder.find(place)
      if (found === undefined) continue
      const { size, modifiedAtMs, attributes } = found.facts
      late.push({
        ...{ name, size, modifiedAtMs, etag: attributes.etag },
        path: found.path.slice(path.length),
        isFolder: false,
        isAlternative: found.path !== place.natural,
        version: store.versionOf(found.entry),
      })
    }
    return late
  }

  /** The folder's names, those in folders of cut names among them. */
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
    return {
      name: child.isFolder ? `${segment}/` : segment,
      path: [...below, child.name],
      isFolder: child.isFolder,
      isAlternative,
      size: child.size,
      modifiedAtMs: child.modifiedAtMs,
      version,
      etag: readRecord(child.record, version)?.attributes.etag,
    }
  }

  async #recall(place: string): Promise<DavFolderIndex | undefined> {
    const cached = this.#cache.get(place)
    if (cached === undefined || cached.readAtMs + this.#parts.cacheMs < performance.now()) {
      return undefined
    }
    const { revisions } = await this.#parts.leases.look([], [place])
    return revisions[0] === cached.revision ? cached.index : undefined
  }

  #remember(place: string, index: DavFolderIndex, revision: number): DavFolderIndex {
    this.#forget(place)
    this.#cache.set(place, { index, revision, readAtMs: performance.now() })
    this.#cachedNames += index.count
    for (const oldest of this.#cache.keys()) {
      const isFull = this.#cachedNames > maxCachedNames || this.#cache.size > maxCachedFolders
      if (!isFull) break
      this.#forget(oldest)
    }
    return index
  }

  #forget(place: string): void {
    this.#cachedNames -= this.#cache.get(place)?.index.count ?? 0
    this.#cache.delete(place)
  }
}

function lastSegmentOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1)
}

/** The names of the objects that are being written by those who have these notes. */
function namesOf(notes: readonly string[]): ReadonlySet<string> {
  return new Set(notes.map((note) => lastSegmentOf(writtenObjectOf(note)?.key ?? '')))
}
