import type { Entry, EntryCursor, ListQuery } from '../../drive.ts'
import { compareKeys } from '../../key-order.ts'
import { maxKeyBytes, pathOfFolder } from '../../key-path.ts'
import { withDriveErrors } from '../fs-error.ts'
import { type FolderIndex, nameFlags } from './folder-index.ts'
import type { FolderIndexes } from './folder-indexes.ts'
import type { Candidate, ListedFiles } from './listed-files.ts'
import { TurnTaker } from './turn-taker.ts'

/** Files read in one batch. */
const batchLimit = 1000

export interface CursorParts {
  readonly indexes: FolderIndexes
  readonly listed: ListedFiles
  /** Rejects with `unavailable` when the drive is gone, so that its objects only seem to be. */
  requireDrive(): Promise<void>
}

/** A folder on the way from the bucket to where the cursor is. */
interface Frame {
  readonly index: FolderIndex
  /** The folder's key: empty, or ending in `/`. */
  readonly key: string
  /** Below the root, bucket first. */
  readonly path: string
  /** The next name. */
  position: number
}

interface Bound {
  readonly key: string
  /** Whether an entry with this very key counts. */
  readonly isInclusive: boolean
  /** Whether the folder of the key must be listed with the delimiter. */
  readonly showsFolder: boolean
}

/**
 * Walks the folders in key order. It goes straight to where it is to begin, by binary search in
 * the index of each folder on the way, so that every page costs the same.
 */
export class LocalCursor implements EntryCursor {
  readonly #parts: CursorParts
  readonly #bucket: string
  readonly #query: ListQuery
  /** The prefix up to its last `/`: all entries are in this folder. */
  readonly #baseKey: string
  #frames: Frame[] = []
  /** Where to go before the next entry; undefined when the frames say it. */
  #target: Bound | undefined
  /** No further entry up to here. */
  #reached: Bound
  #hasFound = false
  /** Whether a folder was not there when it was to be read. */
  #hasMissed = false

  constructor(parts: CursorParts, bucket: string, query: ListQuery) {
    this.#parts = parts
    this.#bucket = bucket
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

  async next(limit: number): Promise<Entry[]> {
    return await withDriveErrors(`list ${this.#bucket}`, async () => {
      const turns = new TurnTaker()
      for (;;) {
        const candidates = await this.#collect(Math.min(limit, batchLimit), turns)
        const entries = await this.#parts.listed.describe(this.#bucket, candidates, turns)
        this.#hasFound ||= entries.length > 0
        this.#hasMissed ||= entries.length < candidates.length
        // What is missing may only seem to be because the drive is gone.
        if (!this.#hasFound || this.#hasMissed) await this.#parts.requireDrive()
        this.#hasMissed = false
        const last = candidates.at(-1)
        if (last === undefined) return []
        this.#reached = { key: last.key, isInclusive: false, showsFolder: false }
        if (entries.length > 0) return entries
      }
    })
  }

  async #collect(limit: number, turns: TurnTaker): Promise<Candidate[]> {
    const candidates: Candidate[] = []
    if (this.#target !== undefined) {
      const target = this.#target
      await this.#goTo(target, candidates)
      this.#target = undefined
    }
    while (candidates.length < limit) {
      const frame = this.#frames.at(-1)
      if (frame === undefined) break
      if (frame.position < frame.index.count) await this.#visit(frame, candidates)
      else this.#frames.pop()
      const pause = turns.step()
      if (pause !== undefined) await pause
    }
    return candidates
  }

  /** Takes the frame's next name. */
  async #visit(frame: Frame, candidates: Candidate[]): Promise<void> {
    const { index, position } = frame
    const key = frame.key + index.name(position)
    if (!key.startsWith(this.#query.prefix)) {
      // In the prefix's folder, behind the prefix: nothing more can follow.
      this.#frames = []
      return
    }
    frame.position++
    if (!isPossibleKey(key)) return
    if (index.hasFlag(position, nameFlags.folder)) {
      if (this.#query.delimiter === undefined) await this.#enter(frame, position, key)
      else candidates.push({ kind: 'folder', key })
      return
    }
    const isPlain = !index.hasFlag(position, nameFlags.encoded)
    const path = isPlain ? `${frame.path}/${key.slice(frame.key.length)}` : undefined
    const isAlternative = index.hasFlag(position, nameFlags.alternative)
    candidates.push({ kind: 'object', key, path, isAlternative })
  }

  /** Goes down into the folder at `position`; false when it is gone. */
  async #enter(frame: Frame, position: number, key: string): Promise<boolean> {
    const isPlain = !frame.index.hasFlag(position, nameFlags.encoded)
    const path = isPlain ? `${frame.path}/${key.slice(frame.key.length, -1)}` : this.#pathOf(key)
    const index = await this.#parts.indexes.get(path)
    if (index === undefined) this.#hasMissed = true
    else this.#frames.push({ index, key, path, position: 0 })
    return index !== undefined
  }

  /** Puts the frames where the first entry is that the bound allows. */
  async #goTo(bound: Bound, candidates: Candidate[]): Promise<void> {
    this.#frames = []
    const path = this.#pathOf(this.#baseKey)
    const index = await this.#parts.indexes.get(path)
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
  async #descend(frame: Frame, bound: Bound, candidates: Candidate[]): Promise<Frame | undefined> {
    const { index } = frame
    const rest = bound.key.slice(frame.key.length)
    const folderName = rest.slice(0, rest.indexOf('/') + 1)
    const position = index.lowerBound(folderName === '' ? rest : folderName)
    const isThere = position < index.count && index.name(position) === (folderName || rest)
    frame.position = position
    if (!isThere) {
      if (folderName !== '') frame.position = index.lowerBound(rest)
      return undefined
    }
    if (folderName === '') {
      if (!bound.isInclusive) frame.position++
      return undefined
    }
    return await this.#descendInto(frame, frame.key + folderName, { bound, candidates })
  }

  async #descendInto(
    frame: Frame,
    key: string,
    { bound, candidates }: { bound: Bound; candidates: Candidate[] },
  ): Promise<Frame | undefined> {
    const { position } = frame
    const isTheFolder = bound.key === key
    if (this.#query.delimiter === undefined) {
      frame.position++
      return (await this.#enter(frame, position, key)) ? this.#frames.at(-1) : undefined
    }
    if (isTheFolder && bound.isInclusive) return undefined
    frame.position++
    if (isTheFolder || !bound.showsFolder || !key.startsWith(this.#query.prefix)) return undefined
    if (await this.#hasKeyBehind(key, bound.key)) candidates.push({ kind: 'folder', key })
    return undefined
  }

  async #hasKeyBehind(folderKey: string, after: string): Promise<boolean> {
    const inner = new LocalCursor(this.#parts, this.#bucket, { prefix: folderKey, after })
    return (await inner.next(1)).length > 0
  }

  #pathOf(folderKey: string): string {
    return [this.#bucket, ...pathOfFolder(folderKey)].join('/')
  }
}

/** What a person named may be too long, or lie at a path, that no key has. */
function isPossibleKey(key: string): boolean {
  if (key === '') return false
  return key.length * 3 <= maxKeyBytes || Buffer.byteLength(key) <= maxKeyBytes
}
