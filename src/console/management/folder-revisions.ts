import type { Drive } from '../../drives/drive.ts'
import type { Entry } from '../../drives/listed-entry.ts'

/** Entries in memory at a time. */
const pageEntries = 1_000

/**
 * A revision is reused for this long, or for twenty times the duration of its listing if that is
 * longer. A worker then spends at most a twentieth of its time on one folder.
 */
const minAgeMs = 2_000
const ageOverDuration = 20
const maxAgeMs = 5 * 60_000

/** The maximum number of remembered revisions. */
const maxKept = 200

interface FolderName {
  readonly bucket: string
  /** '' or ends in a slash. */
  readonly prefix: string
  /** Only names that begin with this. */
  readonly filter: string
}

interface FolderRevision {
  /** Equal for equal contents, in any process. */
  readonly revision: string
  /** When the listing began, by the same clock as `now`. */
  readonly beganAtMs: number
}

interface Listing {
  readonly answer: Promise<FolderRevision>
  /** Infinity while it runs. */
  untilMs: number
}

interface FolderRevisionsParts {
  readonly drive: Pick<Drive, 'list'>
  /** Monotonic, milliseconds. */
  readonly now: () => number
}

/**
 * Detects changes of a folder without sending its contents. Concurrent callers for the same folder
 * share one listing.
 */
export class FolderRevisions {
  readonly #parts: FolderRevisionsParts
  /** The oldest first. */
  readonly #listings = new Map<string, Listing>()

  constructor(parts: FolderRevisionsParts) {
    this.#parts = parts
  }

  /** @throws DriveError */
  read(folder: FolderName): Promise<FolderRevision> {
    const name = JSON.stringify([folder.bucket, folder.prefix, folder.filter])
    const kept = this.#listings.get(name)
    if (kept !== undefined && this.#parts.now() < kept.untilMs) return kept.answer
    return this.#begin(name, folder)
  }

  #begin(name: string, folder: FolderName): Promise<FolderRevision> {
    const { now } = this.#parts
    const beganAtMs = now()
    const listing: Listing = {
      untilMs: Number.POSITIVE_INFINITY,
      answer: this.#sum(folder)
        .then((revision) => ({ revision, beganAtMs }))
        .finally(() => {
          const ageMs = Math.max((now() - beganAtMs) * ageOverDuration, minAgeMs)
          listing.untilMs = now() + Math.min(ageMs, maxAgeMs)
        }),
    }
    this.#listings.delete(name)
    this.#listings.set(name, listing)
    const [oldest] = this.#listings.keys()
    if (this.#listings.size > maxKept && oldest !== undefined) this.#listings.delete(oldest)
    return listing.answer
  }

  async #sum({ bucket, prefix, filter }: FolderName): Promise<string> {
    const query = { prefix: prefix + filter, after: '', delimiter: '/' } as const
    const cursor = this.#parts.drive.list(bucket, query)
    const sum = new RevisionSum()
    for (;;) {
      const entries = await cursor.next(pageEntries)
      if (entries.length === 0) return sum.text()
      // The marker of the folder is not an entry.
      for (const entry of entries) if (entry.key !== prefix) sum.add(textOf(entry))
    }
  }
}

/** The listed fields of an entry; times in whole seconds, as in XML. */
function textOf(entry: Entry): string {
  if (entry.kind === 'folder') return entry.key
  const { key, size, modifiedAtMs, etag } = entry
  return `${key}\n${size}\n${Math.floor(modifiedAtMs / 1_000)}\n${etag}`
}

/**
 * A number for a set of texts, independent of their order. The dashboard computes the same one
 * (web/src/files/listing/revision-sum.ts); a test compares the two.
 */
class RevisionSum {
  #count = 0
  #low = 0
  #high = 0

  add(text: string): void {
    let low = 0x811c9dc5
    let high = 0x9747b28c
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index)
      low = Math.imul(low ^ unit, 0x01000193)
      high = Math.imul(high ^ unit, 0x85ebca6b)
    }
    this.#count += 1
    this.#low = (this.#low + mixed(low)) | 0
    this.#high = (this.#high + mixed(high)) | 0
  }

  text(): string {
    return `${this.#count}-${hex(this.#low)}${hex(this.#high)}`
  }
}

/** Mixes the bits, so that texts that differ in one character differ in half of the bits. */
function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x7feb352d)
  const twice = Math.imul(once ^ (once >>> 15), 0x846ca68b)
  return twice ^ (twice >>> 16)
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0')
}
