import { foldedName } from '../../platform/text/folded-name.ts'
import { compareKeys } from '../../platform/text/key-order.ts'
import type { Drive } from '../drives/drive.ts'
import { DriveError } from '../drives/drive-error.ts'
import { type EntryCursor, listedAttributes, type ObjectEntry } from '../drives/listed-entry.ts'
import { withinDriveTime } from '../jobs/walk.ts'

/** The maximum results of one call. */
const maxHits = 200
/** After this time, another call has to continue, if the person still wants more. */
const defaultLimitMs = 15_000
const pageKeys = 1_000
/** The time limit for a page. */
const hangMs = 30_000
/** How often the progress is reported. */
const sayEveryMs = 400

export interface SearchQuery {
  readonly drive: Pick<Drive, 'list' | 'head'>
  /** In the order of `compareKeys`. */
  readonly buckets: readonly string[]
  /** The folder to search, with everything below it; '' or ends in a slash. */
  readonly prefix: string
  /** Part of a name; case is ignored. */
  readonly text: string
  /** `next` of the previous call. */
  readonly after?: SearchPosition | undefined
  /** Aborts when the results are no longer wanted. */
  readonly signal: AbortSignal
  readonly limitMs?: number
}

export interface SearchPosition {
  readonly bucket: string
  readonly key: string
}

export interface SearchHit extends SearchPosition {
  readonly kind: 'file' | 'folder'
  /** The position of the text in the name, in UTF-16 code units: [start, end). */
  readonly match: readonly [number, number]
  /** Bytes; null for a folder, whose key ends in a slash. */
  readonly size: number | null
  /** Milliseconds since the epoch; null for a folder. */
  readonly modifiedAtMs: number | null
  /** As in listings. */
  readonly fileTimeMs?: number | undefined
  /** Without quotes; null for a folder. */
  readonly etag: string | null
}

/** A line of the output of a search. */
export type SearchLine =
  | { readonly hit: SearchHit }
  /** Objects checked so far. */
  | { readonly looked: number }
  /** A bucket could not be listed completely; the search continues with the next one. */
  | { readonly problem: { readonly bucket: string; readonly message: string } }
  /** The last line. null: everything was checked. */
  | { readonly looked: number; readonly next: SearchPosition | null }

/**
 * Finds names of files and folders in a listing, page by page. If the drive can list keys alone, metadata is read only
 * for what was found. Listings of Google Drive come from the index in the database.
 *
 * @throws the signal's reason
 */
export async function* search(query: SearchQuery): AsyncGenerator<readonly SearchLine[]> {
  const { buckets, after, limitMs = defaultLimitMs } = query
  const tally = { looked: 0, hits: 0, endsAt: performance.now() + limitMs, saidAt: 0 }
  for (const bucket of buckets) {
    if (after !== undefined && compareKeys(bucket, after.bucket) < 0) continue
    const from = bucket === after?.bucket ? after.key : ''
    try {
      const end = yield* searchBucket({ ...query, bucket, from }, tally)
      if (end === undefined) continue
      yield [{ looked: tally.looked, next: { bucket, key: end } }]
      return
    } catch (error) {
      if (!(error instanceof DriveError)) throw error
      yield [{ problem: { bucket, message: error.message } }]
    }
  }
  yield [{ looked: tally.looked, next: null }]
}

interface Tally {
  looked: number
  hits: number
  readonly endsAt: number
  saidAt: number
}

/** Returns the last key if a limit ended the search. */
async function* searchBucket(
  query: SearchQuery & { readonly bucket: string; readonly from: string },
  tally: Tally,
): AsyncGenerator<readonly SearchLine[], string | undefined> {
  const { drive, bucket, prefix, from, signal, text } = query
  const finder = new NameFinder({ bucket, prefix, text, last: from })
  const cursor = drive.list(bucket, { prefix, after: from, signal })
  for (;;) {
    const listed = await withinDriveTime(nextOf(cursor), signal, hangMs)
    const last = listed.at(-1)
    if (last === undefined) return undefined
    const end = yield* searchPage({ listed, finder }, query, tally)
    const now = performance.now()
    if (end !== undefined || now >= tally.endsAt) return end ?? last.key
    if (now - tally.saidAt < sayEveryMs) continue
    tally.saidAt = now
    yield [{ looked: tally.looked }]
  }
}

interface Page {
  readonly listed: readonly Listed[]
  readonly finder: NameFinder
}

/** Returns the key at which a limit ended the search. All hits of that key are included: the next call begins after it. */
async function* searchPage(
  { listed, finder }: Page,
  query: SearchQuery,
  tally: Tally,
): AsyncGenerator<readonly SearchLine[], string | undefined> {
  for (const { key, entry } of listed) {
    tally.looked += 1
    const found = [...finder.find(key)]
    if (found.length === 0) continue
    const hits = await Promise.all(found.map((one) => hitOf(query, one, entry)))
    const lines = hits.flatMap((hit) => (hit === undefined ? [] : [{ hit }]))
    tally.hits += lines.length
    if (lines.length > 0) yield lines
    if (tally.hits >= maxHits || performance.now() >= tally.endsAt) return key
  }
  return undefined
}

interface Listed {
  readonly key: string
  /** Undefined: the metadata was not read yet. */
  readonly entry?: ObjectEntry
}

async function nextOf(cursor: EntryCursor): Promise<readonly Listed[]> {
  if (cursor.nextKeys !== undefined) {
    return (await cursor.nextKeys(pageKeys)).map((key) => ({ key }))
  }
  const entries = await cursor.next(pageKeys)
  return entries.flatMap((entry) => (entry.kind === 'object' ? [{ key: entry.key, entry }] : []))
}

type Found = Pick<SearchHit, 'bucket' | 'key' | 'kind' | 'match'>

/** Adds size and time. Undefined if the object has been removed in the meantime. */
async function hitOf(
  { drive, signal }: SearchQuery,
  found: Found,
  entry?: ObjectEntry,
): Promise<SearchHit | undefined> {
  if (found.kind === 'folder') return { ...found, size: null, modifiedAtMs: null, etag: null }
  if (entry !== undefined) return { ...found, ...listedOf(entry) }
  const finding = Promise.resolve(drive.head(found.bucket, found.key))
  const metadata = await withinDriveTime(finding, signal, hangMs)
  return (
    metadata && { ...found, ...listedOf({ ...metadata, ...listedAttributes(metadata.attributes) }) }
  )
}

function listedOf({
  size,
  modifiedAtMs,
  fileTimeMs,
  etag,
}: Pick<ObjectEntry, 'size' | 'modifiedAtMs' | 'fileTimeMs' | 'etag'>) {
  return { size, modifiedAtMs, etag, ...(fileTimeMs !== undefined && { fileTimeMs }) }
}

/** The characters that people see. */
const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/**
 * The position of the text in a name: [start, end), of whole characters. Empty if it is unclear. Undefined if the name
 * does not contain it.
 */
function matchIn(name: string, text: string): readonly [number, number] | undefined {
  if (!foldedName(name).includes(text)) return undefined
  // The positions of each character in the name and in its folded form.
  const begins: { readonly index: number; readonly at: number }[] = []
  let whole = ''
  for (const { segment, index } of characters.segment(name)) {
    begins.push({ index, at: whole.length })
    whole += foldedName(segment)
  }
  const start = whole.indexOf(text)
  if (start < 0) return [0, 0]
  const first = begins.findLast(({ at }) => at <= start)
  const next = begins.find(({ at }) => at >= start + text.length)
  return [first?.index ?? 0, next?.index ?? name.length]
}

/** Finds names in keys, which must come in order. A folder is found once, with its first key. */
class NameFinder {
  readonly #bucket: string
  readonly #prefix: string
  readonly #text: string
  #last: string

  constructor(parts: { bucket: string; prefix: string; text: string; last: string }) {
    this.#bucket = parts.bucket
    this.#prefix = parts.prefix
    this.#text = foldedName(parts.text)
    this.#last = parts.last
  }

  *find(key: string): Generator<Found> {
    const last = this.#last
    this.#last = key
    const bucket = this.#bucket
    let start = this.#prefix.length
    if (!foldedName(key.slice(start)).includes(this.#text)) return
    for (let end = key.indexOf('/', start); end >= 0; end = key.indexOf('/', start)) {
      const folder = key.slice(0, end + 1)
      const match = last.startsWith(folder) ? undefined : this.#match(key.slice(start, end))
      if (match) yield { bucket, key: folder, kind: 'folder', match }
      start = end + 1
    }
    const match = start < key.length ? this.#match(key.slice(start)) : undefined
    if (match) yield { bucket, key, kind: 'file', match }
  }

  #match(name: string): readonly [number, number] | undefined {
    return matchIn(name, this.#text)
  }
}
