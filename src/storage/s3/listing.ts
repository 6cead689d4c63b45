import { successorOfPrefix } from '../../platform/text/key-order.ts'
import { encodeKey } from '../../platform/text/percent-encoding.ts'
import type { FolderEntry, ObjectEntry } from '../drives/listed-entry.ts'
import type { Query } from './address/query.ts'
import { invalidArgument } from './errors.ts'

/** The listing parameters of a request; empty strings where none were sent. */
export interface PageQuery {
  readonly prefix: string
  readonly delimiter: string
  /** Only keys and common prefixes after this one; see `readPage`. */
  readonly after: string
  /** Objects and common prefixes together. */
  readonly maxKeys: number
}

/** What a listing has elements for, besides common prefixes. */
type Listed = Pick<ObjectEntry, 'kind' | 'key'>

/** As EntryCursor, for anything that has a key. */
interface PageCursor<Item extends Listed> {
  next(limit: number): Promise<(Item | FolderEntry)[]>
  seek(key: string): void
  readonly hasMore?: boolean
}

export interface ListPage<Item extends Listed = ObjectEntry> {
  readonly objects: readonly Item[]
  readonly commonPrefixes: readonly string[]
  readonly isTruncated: boolean
  /** The last key or common prefix on the page: the `after` of the next page. */
  readonly last: string
}

/** Entries requested at a time while common prefixes are rolled up here. */
const firstBatch = 16
const largestBatch = 1000

/**
 * Reads one page of a listing (API reference, ListObjectsV2), in byte order. Keys with the
 * delimiter after the prefix are rolled up into one common prefix each, which ends in the delimiter
 * and counts as much as an object. A page is full unless it is the last.
 *
 * `after` may be any string. If it is a common prefix itself, everything in it is skipped, so that
 * a client that has read up to that prefix continues after it. If it is inside one, the prefix
 * appears as long as it has keys after `after`. Nothing at `after` needs to exist.
 *
 * @param cursor of the same prefix and after. At delimiters that it does not roll up, this function does, and the
 *   cursor seeks over what is in a common prefix.
 * @param ownDelimiter at which the cursor rolls up, as Drive.list does at `/`.
 */
export async function readPage<Item extends Listed>(
  cursor: PageCursor<Item>,
  query: PageQuery,
  ownDelimiter = '/',
): Promise<ListPage<Item>> {
  const page = new PageBuilder<Item>(query)
  if (query.maxKeys === 0) return page.finish(false)
  const isRolledUpHere = query.delimiter !== '' && query.delimiter !== ownDelimiter
  const read = isRolledUpHere ? readRollingUp : readStraight
  return page.finish(await read(cursor, page))
}

/** Fills the page with entries as they come. Returns whether there are more. */
async function readStraight<Item extends Listed>(
  cursor: PageCursor<Item>,
  page: PageBuilder<Item>,
): Promise<boolean> {
  for (;;) {
    // One more than fits shows whether there are more.
    const entries = await cursor.next(page.room + 1)
    if (entries.length === 0) return false
    if (!page.addAll(entries) || (page.room === 0 && cursor.hasMore)) return true
  }
}

/** Fills the page, seeking over the rest of each common prefix: it may be a million keys. */
async function readRollingUp<Item extends Listed>(
  cursor: PageCursor<Item>,
  page: PageBuilder<Item>,
): Promise<boolean> {
  let batch = firstBatch
  while (page.seekBehindGroup(cursor)) {
    const entries = await cursor.next(Math.min(batch, page.room + 1))
    if (entries.length === 0) return false
    if (!page.addAll(entries)) return true
    batch = page.isInGroup ? firstBatch : Math.min(batch * 2, largestBatch)
  }
  return false
}

/** Returns the common prefix that a key is rolled up into, or undefined if the key is listed itself. */
function commonPrefixOf(
  key: string,
  { prefix, delimiter }: Pick<PageQuery, 'prefix' | 'delimiter'>,
): string | undefined {
  if (delimiter === '' || !key.startsWith(prefix)) return undefined
  const at = key.indexOf(delimiter, prefix.length)
  return at < 0 ? undefined : key.slice(0, at + delimiter.length)
}

class PageBuilder<Item extends Listed> {
  readonly #query: PageQuery
  readonly #objects: Item[] = []
  readonly #commonPrefixes: string[] = []
  /** The common prefix whose keys are being skipped. */
  #group: string | undefined
  #last: string

  constructor(query: PageQuery) {
    this.#query = query
    this.#last = query.after
    // The page continues after a common prefix, whose remaining keys must not list it again.
    const group = commonPrefixOf(query.after, query)
    if (group === query.after) this.#group = group
  }

  /** Objects and common prefixes that still fit. */
  get room(): number {
    return this.#query.maxKeys - this.#objects.length - this.#commonPrefixes.length
  }

  /** Whether the entry that was added last belongs to a common prefix. */
  get isInGroup(): boolean {
    return this.#group !== undefined
  }

  /** Returns false if an entry does not fit, so there is another page. */
  addAll(entries: readonly (Item | FolderEntry)[]): boolean {
    for (const entry of entries) {
      if (this.#group !== undefined && entry.key.startsWith(this.#group)) continue
      if (this.room === 0) return false
      this.#add(entry)
    }
    return true
  }

  #add(entry: Item | FolderEntry): void {
    const group = entry.kind === 'folder' ? entry.key : commonPrefixOf(entry.key, this.#query)
    this.#group = group
    this.#last = group ?? entry.key
    if (group !== undefined) this.#commonPrefixes.push(group)
    else if (entry.kind === 'object') this.#objects.push(entry)
  }

  /** Moves the cursor past the common prefix it is in. Returns false if nothing can follow. */
  seekBehindGroup(cursor: PageCursor<Item>): boolean {
    if (this.#group === undefined) return true
    const behind = successorOfPrefix(this.#group)
    if (behind === undefined) return false
    cursor.seek(behind)
    return true
  }

  finish(isTruncated: boolean): ListPage<Item> {
    return {
      objects: this.#objects,
      commonPrefixes: this.#commonPrefixes,
      isTruncated,
      last: this.#last,
    }
  }
}

/** Writes a key, prefix, delimiter or marker into a listing. */
export type EncodeKey = (key: string) => string

const asIs: EncodeKey = (key) => key

/**
 * Returns how a listing writes keys: unchanged, or percent-encoded for clients whose XML parser rejects control
 * characters (encoding-type).
 *
 * @throws S3Error InvalidArgument for an encoding-type other than url.
 */
export function keyEncoding(query: Query): EncodeKey {
  const encodingType = query.get('encoding-type')
  if (encodingType === undefined || encodingType === '') return asIs
  // A space becomes `%20` and a plus `%2B`, which clients read alike whether or not they read a plus as a space. AWS
  // shows `test_file(3).png` as `test_file%283%29.png`.
  if (encodingType === 'url') return encodeKey
  throw invalidArgument(
    'encoding-type',
    encodingType,
    'Invalid Encoding Method specified in Request',
  )
}

/** Tokens of other versions are rejected, so that a changed format cannot be misread. */
const version = 1

/** Returns an opaque token for the page after a key or common prefix. */
export function encodeContinuationToken(after: string): string {
  return Buffer.from(JSON.stringify([version, after])).toString('base64url')
}

/**
 * Returns the key or common prefix that a token stands for.
 *
 * @throws S3Error InvalidArgument for anything but a token issued by this service.
 */
export function decodeContinuationToken(token: string): string {
  const after = /^[A-Za-z0-9_-]+$/.test(token) ? parseToken(token) : undefined
  if (after !== undefined) return after
  throw invalidArgument('continuation-token', token, 'The continuation token provided is incorrect')
}

function parseToken(token: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token, 'base64url').toString())
    if (!Array.isArray(parsed) || parsed.length !== 2 || parsed[0] !== version) return undefined
    return typeof parsed[1] === 'string' ? parsed[1] : undefined
  } catch {
    // It is not JSON, so this service did not issue it.
    return undefined
  }
}
