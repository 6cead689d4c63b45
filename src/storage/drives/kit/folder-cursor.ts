import { TurnTaker } from '../../../platform/process/turn-taker.ts'
import { compareKeys } from '../../../platform/text/key-order.ts'
import type { Entry, FolderEntry, ListQuery } from '../listed-entry.ts'
import { maxKeyBytes } from './names/key-path.ts'

/** Entries read in one batch. */
const batchLimit = 1000

/** The names in one folder, in key order. A folder's name ends in `/`. */
export interface FolderNames {
  readonly count: number
  name(position: number): string
  isFolder(position: number): boolean
  /** The position of the first name that is not less than `text`; `count` if there is none. */
  lowerBound(text: string): number
}

/** A folder of a bucket, with the names in it. */
export interface ReadFolder<Names extends FolderNames, Path> {
  readonly names: Names
  /** The folder's key: empty for the bucket, or ending in `/`. */
  readonly key: string
  readonly path: Path
}

/** A listed object whose metadata has not been read yet. */
export interface ObjectCandidate {
  readonly kind: 'object'
  readonly key: string
}

/** The folders of one bucket, as a drive reads them. */
export interface FolderTree<
  Folder extends ReadFolder<FolderNames, unknown>,
  Candidate,
  Listed = Entry,
> {
  /** Reads the folder with this key; undefined when it does not exist. */
  read(key: string): Promise<Folder | undefined>
  /** Reads a folder by its position in the folder that holds it. */
  readInner(folder: Folder, position: number, key: string): Promise<Folder | undefined>
  candidate(folder: Folder, position: number, key: string): Candidate
  /**
   * Reads the metadata of objects, and leaves out objects that no longer exist.
   * @param candidates at most 1,000
   */
  describe(candidates: readonly (Candidate | FolderEntry)[], turns: TurnTaker): Promise<Listed[]>
  /** @throws DriveError `unavailable` if the drive itself is missing, and not only its objects */
  requireDrive(): Promise<void>
}

/** A folder on the path from the prefix's folder to the cursor's position. */
interface Frame<Folder> {
  readonly folder: Folder
  /** The position of the next name. */
  position: number
}

interface Bound {
  readonly key: string
  /** Whether an entry with exactly this key is included. */
  readonly isInclusive: boolean
  /** Whether the folder of the key must be listed with the delimiter. */
  readonly showsFolder: boolean
}

/**
 * An EntryCursor, unless the tree lists something else. Walks the folders in key order and reads only those that it needs. It seeks its start with a binary search in each
 * folder on the path, so every page costs the same.
 */
export class FolderCursor<
  Folder extends ReadFolder<FolderNames, unknown>,
  Candidate extends ObjectCandidate,
  Listed = Entry,
> {
  readonly #tree: FolderTree<Folder, Candidate, Listed>
  readonly #query: ListQuery
  /** The prefix up to its last `/`: all entries are in this folder. */
  readonly #baseKey: string
  #frames: Frame<Folder>[] = []
  /** The position to move to before the next entry; undefined if the frames are already there. */
  #target: Bound | undefined
  /** Entries up to here were returned or skipped. */
  #reached: Bound
  #candidates: (Candidate | FolderEntry)[] = []
  #hasFound = false
  /** Whether a folder was missing when it was read. */
  #hasMissed = false

  constructor(tree: FolderTree<Folder, Candidate, Listed>, query: ListQuery) {
    this.#tree = tree
    this.#query = query
    this.#baseKey = query.prefix.slice(0, query.prefix.lastIndexOf('/') + 1)
    const isBehindPrefix = compareKeys(query.after, query.prefix) >= 0 && query.after !== ''
    this.#target = isBehindPrefix
      ? { key: query.after, isInclusive: false, showsFolder: true }
      : { key: query.prefix, isInclusive: true, showsFolder: false }
    this.#reached = this.#target
  }

  seek(key: string): void {
    const ahead = compareKeys(key, (this.#target ?? this.#reached).key)
    if (ahead > 0) this.#target = { key, isInclusive: true, showsFolder: false }
    else if (this.#isBehindShownFolder(key)) this.#target = { ...this.#reached, showsFolder: false }
  }

  /** Whether `key` is after the folder of `after`, which must still be listed. */
  #isBehindShownFolder(key: string): boolean {
    if (!this.#target?.showsFolder) return false
    const { prefix, after } = this.#query
    return compareKeys(key, after.slice(0, after.indexOf('/', prefix.length) + 1)) > 0
  }

  async next(limit: number): Promise<Listed[]> {
    const turns = new TurnTaker()
    for (;;) {
      const candidates = await this.#collect(Math.min(limit, batchLimit), turns)
      const entries = await this.#tree.describe(candidates, turns)
      this.#hasFound ||= entries.length > 0
      this.#hasMissed ||= entries.length < candidates.length
      // An earlier check is not enough for an empty listing: a client that syncs with deletion would
      // delete everything.
      if (!this.#hasFound || this.#hasMissed) await this.#tree.requireDrive()
      this.#hasMissed = false
      const last = candidates.at(-1)
      if (last === undefined) return []
      this.#reached = reachedAt(last)
      // Empty only if all candidates were deleted meanwhile.
      if (entries.length > 0) return entries
    }
  }

  async nextKeys(limit: number): Promise<string[]> {
    const candidates = await this.#collect(Math.min(limit, batchLimit), new TurnTaker())
    this.#hasFound ||= candidates.length > 0
    if (!this.#hasFound || this.#hasMissed) await this.#tree.requireDrive()
    this.#hasMissed = false
    const last = candidates.at(-1)
    if (last !== undefined) this.#reached = reachedAt(last)
    return candidates.map(({ key }) => key)
  }

  async #collect(limit: number, turns: TurnTaker): Promise<(Candidate | FolderEntry)[]> {
    this.#candidates = []
    if (this.#target !== undefined) {
      await this.#goTo(this.#target)
      this.#target = undefined
    }
    while (this.#candidates.length < limit) {
      this.#query.signal?.throwIfAborted()
      const frame = this.#frames.at(-1)
      if (frame === undefined) break
      if (frame.position < frame.folder.names.count) await this.#visit(frame)
      else this.#frames.pop()
      const pause = turns.step()
      if (pause !== undefined) await pause
    }
    return this.#candidates
  }

  /** Takes the frame's next name. */
  async #visit(frame: Frame<Folder>): Promise<void> {
    const { folder, position } = frame
    const key = folder.key + folder.names.name(position)
    if (!key.startsWith(this.#query.prefix)) {
      // A name after the prefix in the prefix's folder: no further entry can match.
      this.#frames = []
      return
    }
    frame.position++
    if (!isPossibleKey(key)) return
    if (!folder.names.isFolder(position)) {
      this.#candidates.push(this.#tree.candidate(folder, position, key))
    } else if (this.#query.delimiter === undefined) {
      this.#enter(await this.#tree.readInner(folder, position, key))
    } else this.#candidates.push({ kind: 'folder', key })
  }

  /** Enters a folder that was read; undefined when it no longer exists. */
  #enter(folder: Folder | undefined): Frame<Folder> | undefined {
    if (folder === undefined) {
      this.#hasMissed = true
      return undefined
    }
    const frame = { folder, position: 0 }
    this.#frames.push(frame)
    return frame
  }

  /** Moves the frames to the first entry within the bound. */
  async #goTo(bound: Bound): Promise<void> {
    this.#frames = []
    let frame = this.#enter(await this.#tree.read(this.#baseKey))
    if (frame === undefined || compareKeys(bound.key, this.#baseKey) < 0) return
    if (!bound.key.startsWith(this.#baseKey)) {
      this.#frames = []
      return
    }
    while (frame !== undefined) frame = await this.#descend(frame, bound)
  }

  /** One step of `#goTo`; the folder to continue in, if any. */
  async #descend(frame: Frame<Folder>, bound: Bound): Promise<Frame<Folder> | undefined> {
    const { names, key } = frame.folder
    const rest = bound.key.slice(key.length)
    const folderName = rest.slice(0, rest.indexOf('/') + 1)
    const wanted = folderName || rest
    const position = names.lowerBound(wanted)
    frame.position = position
    if (position >= names.count || names.name(position) !== wanted) {
      if (folderName !== '') frame.position = names.lowerBound(rest)
      return undefined
    }
    if (folderName === '') {
      if (!bound.isInclusive) frame.position++
      return undefined
    }
    return await this.#descendInto(frame, key + folderName, bound)
  }

  async #descendInto(
    frame: Frame<Folder>,
    key: string,
    bound: Bound,
  ): Promise<Frame<Folder> | undefined> {
    const { folder, position } = frame
    const isTheFolder = bound.key === key
    if (this.#query.delimiter === undefined) {
      frame.position++
      return this.#enter(await this.#tree.readInner(folder, position, key))
    }
    if (isTheFolder && bound.isInclusive) return undefined
    frame.position++
    if (isTheFolder || !bound.showsFolder || !key.startsWith(this.#query.prefix)) return undefined
    if (await this.#hasKeyBehind(key, bound.key)) this.#candidates.push({ kind: 'folder', key })
    return undefined
  }

  async #hasKeyBehind(folderKey: string, after: string): Promise<boolean> {
    const inner = new FolderCursor(this.#tree, { prefix: folderKey, after })
    return (await inner.next(1)).length > 0
  }
}

/** Up to and including this entry. */
function reachedAt({ key }: { readonly key: string }): Bound {
  return { key, isInclusive: false, showsFolder: false }
}

/** Files added by hand may have longer paths than any key, or an empty key. */
function isPossibleKey(key: string): boolean {
  if (key === '') return false
  return key.length * 3 <= maxKeyBytes || Buffer.byteLength(key) <= maxKeyBytes
}
