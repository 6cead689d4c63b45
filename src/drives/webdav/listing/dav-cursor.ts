import type { Entry, EntryCursor, ListQuery } from '../../drive.ts'
import { compareKeys } from '../../key-order.ts'
import { maxKeyBytes, pathOfFolder } from '../../key-path.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavContext } from '../dav-context.ts'
import { requireBucket } from '../own-folder.ts'
import type { DavFolderIndex, ListedName } from './dav-folder-index.ts'
import { type DavCandidate, type DescribeParts, describeEntries } from './describe-entries.ts'
import type { FolderLister } from './folder-lister.ts'

const batchLimit = 1000

export interface DavCursorParts extends DescribeParts, Pick<DavContext, 'server' | 'own'> {
  readonly lister: FolderLister
}

/** A folder on the way from the bucket to the cursor's position. */
interface Frame {
  readonly index: DavFolderIndex
  /** The folder's key: empty, or ending in `/`. */
  readonly key: string
  readonly path: DavPath
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

/** Walks the folders in key order, and reads only the folders that it needs. */
export class DavCursor implements EntryCursor {
  readonly #parts: DavCursorParts
  readonly #bucket: string
  readonly #query: ListQuery
  /** The prefix up to its last `/`: all entries are in this folder. */
  readonly #baseKey: string
  /** The first page reads the drive; the following ones may use cached folders. */
  readonly #mayBeCached: boolean
  #frames: Frame[] = []
  /** The position to move to before the next entry; undefined when the frames are there. */
  #target: Bound | undefined
  /** No further entry up to here. */
  #reached: Bound
  #hasFound = false
  /** Whether a folder was missing when it was read. */
  #hasMissed = false

  constructor(parts: DavCursorParts, bucket: string, query: ListQuery) {
    this.#parts = parts
    this.#bucket = bucket
    this.#query = query
    this.#mayBeCached = query.after !== ''
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

  async next(limit: number): Promise<Entry[]> {
    for (;;) {
      const candidates = await this.#collect(Math.min(limit, batchLimit))
      const entries = await describeEntries(this.#parts, this.#bucket, candidates)
      this.#hasFound ||= entries.length > 0
      this.#hasMissed ||= entries.length < candidates.length
      // Entries may be missing because the drive is not mounted.
      if (!this.#hasFound || this.#hasMissed) await this.#requireDrive()
      this.#hasMissed = false
      const last = candidates.at(-1)
      if (last === undefined) return []
      this.#reached = { key: last.key, isInclusive: false, showsFolder: false }
      // Empty only if all candidates were deleted meanwhile.
      if (entries.length > 0) return entries
    }
  }

  /**
   * An empty listing is not believed because of an earlier check: a client that syncs with deletion
   * would delete everything.
   *
   * @throws DriveError `unavailable` when the drive or the bucket's folder is missing
   */
  async #requireDrive(): Promise<void> {
    const { own, server } = this.#parts
    await Promise.all([own.requireThere(), requireBucket(server, this.#bucket)])
  }

  async #collect(limit: number): Promise<DavCandidate[]> {
    const candidates: DavCandidate[] = []
    if (this.#target !== undefined) {
      const target = this.#target
      await this.#goTo(target, candidates)
      this.#target = undefined
    }
    while (candidates.length < limit) {
      const frame = this.#frames.at(-1)
      if (frame === undefined) break
      const listed = frame.index.at(frame.position)
      if (listed === undefined) this.#frames.pop()
      else await this.#visit(frame, listed, candidates)
    }
    return candidates
  }

  /** Takes the frame's next name. */
  async #visit(frame: Frame, listed: ListedName, candidates: DavCandidate[]): Promise<void> {
    const key = frame.key + listed.name
    if (!key.startsWith(this.#query.prefix)) {
      // A name after the prefix in the prefix's folder: no further entry can match.
      this.#frames = []
      return
    }
    frame.position++
    if (!isPossibleKey(key)) return
    if (!listed.isFolder) candidates.push({ kind: 'object', key, listed })
    else if (this.#query.delimiter === undefined) await this.#enter(frame, listed)
    else candidates.push({ kind: 'folder', key })
  }

  /** Enters a folder; undefined when it no longer exists. */
  async #enter(frame: Frame, listed: ListedName): Promise<Frame | undefined> {
    const path = [...frame.path, ...listed.path]
    const index = await this.#parts.lister.read(path, { mayBeCached: this.#mayBeCached })
    if (index === undefined) {
      this.#hasMissed = true
      return undefined
    }
    const inner = { index, key: frame.key + listed.name, path, position: 0 }
    this.#frames.push(inner)
    return inner
  }

  /** Moves the frames to the first entry within the bound. */
  async #goTo(bound: Bound, candidates: DavCandidate[]): Promise<void> {
    this.#frames = []
    const path = [this.#bucket, ...pathOfFolder(this.#baseKey, this.#parts.rules)]
    const index = await this.#parts.lister.read(path, { mayBeCached: this.#mayBeCached })
    if (index === undefined) {
      this.#hasMissed = true
      return
    }
    this.#frames = [{ index, key: this.#baseKey, path, position: 0 }]
    if (compareKeys(bound.key, this.#baseKey) < 0) return
    if (!bound.key.startsWith(this.#baseKey)) {
      this.#frames = []
      return
    }
    for (let frame = this.#frames[0]; frame !== undefined; ) {
      frame = await this.#descend(frame, bound, candidates)
    }
  }

  /** One step of `#goTo`; the folder to continue in, if any. */
  async #descend(
    frame: Frame,
    bound: Bound,
    candidates: DavCandidate[],
  ): Promise<Frame | undefined> {
    const { index } = frame
    const rest = bound.key.slice(frame.key.length)
    const folderName = rest.slice(0, rest.indexOf('/') + 1)
    const position = index.lowerBound(folderName || rest)
    const listed = index.at(position)
    frame.position = position
    if (listed?.name !== (folderName || rest)) {
      if (folderName !== '') frame.position = index.lowerBound(rest)
      return undefined
    }
    if (folderName === '') {
      if (!bound.isInclusive) frame.position++
      return undefined
    }
    return await this.#descendInto(frame, listed, { bound, candidates })
  }

  async #descendInto(
    frame: Frame,
    listed: ListedName,
    { bound, candidates }: { bound: Bound; candidates: DavCandidate[] },
  ): Promise<Frame | undefined> {
    const key = frame.key + listed.name
    const isTheFolder = bound.key === key
    if (this.#query.delimiter === undefined) {
      frame.position++
      return await this.#enter(frame, listed)
    }
    if (isTheFolder && bound.isInclusive) return undefined
    frame.position++
    if (isTheFolder || !bound.showsFolder || !key.startsWith(this.#query.prefix)) return undefined
    if (await this.#hasKeyBehind(key, bound.key)) candidates.push({ kind: 'folder', key })
    return undefined
  }

  async #hasKeyBehind(folderKey: string, after: string): Promise<boolean> {
    const inner = new DavCursor(this.#parts, this.#bucket, { prefix: folderKey, after })
    return (await inner.next(1)).length > 0
  }
}

/** Files added by hand may have longer paths than any key. */
function isPossibleKey(key: string): boolean {
  if (key === '') return false
  return key.length * 3 <= maxKeyBytes || Buffer.byteLength(key) <= maxKeyBytes
}
