import { setImmediate } from 'node:timers/promises'
import { compareKeys } from '../../../../platform/text/key-order.ts'
import { isLegalKey } from '../../kit/names/key-path.ts'
import { parseAttributes } from '../../kit/stored-attributes.ts'
import {
  type Entry,
  type EntryCursor,
  type ListQuery,
  listedAttributes,
} from '../../listed-entry.ts'
import { maxFolders } from '../google-names.ts'
import {
  type ChildrenQuery,
  type DriveIndex,
  type ListedFile,
  sortNameOf,
  textOfSortName,
} from './drive-index.ts'
import type { ListingDeadline } from './index-crawl.ts'
import type { ObjectIndex } from './object-index.ts'

/** Rows in one query. */
const minRows = 16
const maxRows = 1_000

/** A folder that is being listed. */
interface Level {
  readonly rows: FolderRows
  /** Keys in the folder begin with this. */
  readonly prefix: string
  /** Folders above it, below the bucket's. */
  readonly depth: number
}

/**
 * Walks the tree of the index in key order, folder by folder. In each folder, it seeks to the first
 * name needed, regardless of how many names precede it.
 */
export class IndexCursor implements EntryCursor {
  readonly #objects: ObjectIndex
  readonly #bucket: string
  readonly #query: ListQuery
  /** The walk begins after this key, or at it if `#isInclusive`. */
  #bound: string
  #isInclusive: boolean
  /** Entries before this are skipped. */
  #from = ''
  /** The last entry's key. */
  #last = ''
  /** Innermost last; undefined if they must be determined from the bound. */
  #levels: Level[] | undefined
  #hasEnded = false
  /** Set while some folders are not listed yet. */
  #deadline: ListingDeadline | undefined

  constructor(objects: ObjectIndex, bucket: string, query: ListQuery) {
    this.#objects = objects
    this.#bucket = bucket
    this.#query = query
    this.#isInclusive = compareKeys(query.prefix, query.after) > 0
    this.#bound = this.#isInclusive ? query.prefix : query.after
  }

  seek(key: string): void {
    if (compareKeys(key, this.#from) <= 0) return
    this.#from = key
    const isPassed = this.#last !== '' && compareKeys(key, this.#last) <= 0
    if (isPassed || compareKeys(key, this.#bound) <= 0) return
    this.#bound = key
    this.#isInclusive = true
    this.#levels = undefined
  }

  async next(limit: number): Promise<Entry[]> {
    const { index, listings } = this.#objects
    this.#deadline = (await index.hasUnlisted()) ? listings.deadline() : undefined
    // SQLite is synchronous, so a long listing must let other work run.
    await setImmediate()
    const entries: Entry[] = []
    if (this.#hasEnded) return entries
    this.#levels ??= await this.#find()
    while (entries.length < limit) {
      const level = this.#levels.at(-1)
      if (level === undefined) break
      const duplicates = level.rows.take()
      if (duplicates !== undefined) await this.#visit(level, duplicates, entries)
      else if (!(await this.#fetch(level.rows, limit - entries.length))) this.#levels.pop()
    }
    this.#hasEnded = entries.length === 0
    return entries
  }

  async #fetch(rows: FolderRows, wanted: number): Promise<boolean> {
    await this.#complete(rows.ids)
    return await rows.fetch(wanted)
  }

  /** The content of a folder is not used before the folder is listed. */
  async #complete(ids: readonly string[]): Promise<void> {
    if (this.#deadline !== undefined) await this.#objects.listings.complete(ids, this.#deadline)
  }

  async #visit(level: Level, duplicates: readonly ListedFile[], entries: Entry[]): Promise<void> {
    const [row] = duplicates
    if (row === undefined) return
    const key = level.prefix + textOfSortName(row.sortName)
    const { prefix } = this.#query
    if (!key.startsWith(prefix)) {
      // A folder above the prefix sorts before all keys with the prefix; anything else sorts after them.
      if (compareKeys(key, prefix) > 0) this.#levels = []
      return
    }
    if (!isLegalKey(key)) return
    if (row.kind === 'file') this.#addFile(row, key, entries)
    else if (this.#isRolledUp(key)) await this.#addFolder(key, entries)
    else this.#enter(level, key, duplicates)
  }

  #enter(level: Level, key: string, duplicates: readonly ListedFile[]): void {
    if (level.depth >= maxFolders) return
    const ids = duplicates.map((duplicate) => duplicate.id)
    this.#levels?.push({ rows: this.#rows(ids), prefix: key, depth: level.depth + 1 })
  }

  #addFile(row: ListedFile, key: string, entries: Entry[]): void {
    const { prefix, delimiter } = this.#query
    const end = delimiter === undefined ? -1 : key.indexOf(delimiter, prefix.length)
    if (end < 0) {
      const { size, modifiedAtMs, etag, attributes } = row
      const listed = listedAttributes({ ...parseAttributes(attributes), etag })
      this.#add({ kind: 'object', key, size, modifiedAtMs, ...listed }, entries)
    } else {
      // The name of a deep file has slashes.
      this.#add({ kind: 'folder', key: key.slice(0, end + 1) }, entries)
    }
  }

  async #addFolder(key: string, entries: Entry[]): Promise<void> {
    const { after } = this.#query
    const isInside = after.startsWith(key) && after !== key
    if (isInside && !(await this.#holdsMore(key))) return
    this.#add({ kind: 'folder', key }, entries)
  }

  #add(entry: Entry, entries: Entry[]): void {
    const { key } = entry
    if (key === this.#query.after || compareKeys(key, this.#from) < 0) return
    if (this.#last !== '' && compareKeys(key, this.#last) <= 0) return
    this.#last = key
    entries.push(entry)
  }

  #isRolledUp(folderKey: string): boolean {
    return this.#query.delimiter !== undefined && folderKey.length > this.#query.prefix.length
  }

  /** Whether a folder that `after` is inside of has a key greater than `after`. */
  async #holdsMore(prefix: string): Promise<boolean> {
    const { after } = this.#query
    const inside = new IndexCursor(this.#objects, this.#bucket, { prefix, after })
    return (await inside.next(1)).length > 0
  }

  /** The levels that contain the bound, from the prefix's folder on. */
  async #find(): Promise<Level[]> {
    const objects = this.#objects
    const { prefix } = this.#query
    // A bound outside the prefix is after it.
    if (!this.#bound.startsWith(prefix)) return []
    const segments = prefix.split('/').slice(0, -1).slice(0, maxFolders)
    const levels: Level[] = []
    let above = segments.map((segment) => `${segment}/`).join('')
    if (this.#deadline !== undefined) await objects.complete(this.#bucket, segments)
    let folders = await objects.folders(this.#bucket, segments)
    if (folders.length === 0) await objects.requireBucket(this.#bucket)
    for (let depth = segments.length; folders.length > 0; depth++) {
      const ids = folders.map((folder) => folder.id)
      await this.#complete(ids)
      const rest = this.#bound.slice(above.length)
      const end = depth < maxFolders ? rest.indexOf('/') : -1
      const folderKey = above + rest.slice(0, end + 1)
      const folder = sortNameOf(rest.slice(0, Math.max(0, end)), 'folder')
      if (end < 0 || this.#isRolledUp(folderKey)) {
        const start = end < 0 ? sortNameOf(rest, 'file') : folder
        const isInclusive = end >= 0 || this.#isInclusive
        levels.push({ rows: this.#rows(ids, start, isInclusive), prefix: above, depth })
        break
      }
      levels.push({ rows: this.#rows(ids, folder, false), prefix: above, depth })
      folders = await objects.index.find(ids, [folder], 'folder')
      above = folderKey
    }
    return levels
  }

  #rows(ids: readonly string[], from = '', isInclusive = true): FolderRows {
    const hidesEmpty = this.#query.delimiter !== undefined
    const { index } = this.#objects
    return new FolderRows({ index, ids, from, isInclusive, hidesEmpty })
  }
}

interface FolderRowsOptions extends Omit<ChildrenQuery, 'limit'> {
  readonly index: DriveIndex
  /** The folder's id; several where folders share a name. */
  readonly ids: readonly string[]
}

/** The content of a folder from a name on, in order, files of one name together. */
class FolderRows {
  readonly #options: FolderRowsOptions
  #from: string
  #isInclusive: boolean
  #rows: readonly ListedFile[] = []
  #at = 0
  #isLastPage = false

  constructor(options: FolderRowsOptions) {
    this.#options = options
    this.#from = options.from
    this.#isInclusive = options.isInclusive
  }

  get ids(): readonly string[] {
    return this.#options.ids
  }

  /** The next name's rows; undefined if they are not in memory. */
  take(): readonly ListedFile[] | undefined {
    const first = this.#rows[this.#at]
    if (first === undefined) return undefined
    const start = this.#at
    do this.#at += 1
    while (this.#rows[this.#at]?.sortName === first.sortName)
    return this.#rows.slice(start, this.#at)
  }

  /** Reads more rows for about `wanted` names; false at the end. */
  async fetch(wanted: number): Promise<boolean> {
    if (this.#isLastPage) return false
    const { index, ids, hidesEmpty } = this.#options
    const limit = Math.min(maxRows, Math.max(minRows, wanted + 1))
    const rows = await index.children(ids, {
      from: this.#from,
      isInclusive: this.#isInclusive,
      hidesEmpty,
      limit,
    })
    this.#isLastPage = rows.length < limit
    this.#keep(rows)
    return this.#rows.length > 0
  }

  /** The last name of a full page may continue on the next page, so it is read again with that. */
  #keep(rows: readonly ListedFile[]): void {
    const last = rows.at(-1)?.sortName ?? ''
    const whole = this.#isLastPage ? rows : rows.filter((row) => row.sortName !== last)
    this.#isInclusive = whole.length > 0
    this.#rows = whole.length > 0 ? whole : rows
    this.#from = last
    this.#at = 0
  }
}
