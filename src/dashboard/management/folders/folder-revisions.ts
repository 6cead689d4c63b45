import { RevisionSum } from '../../../platform/text/revision-sum.ts'
import type { Drive } from '../../../storage/drives/drive.ts'

/** Entries in memory at a time. */
const pageEntries = 1_000

/**
 * A revision is reused for this long, or for twenty times the duration of its listing if that is longer. A worker
 * thus spends at most a twentieth of its time on one folder. A failure is reused for `minAgeMs`.
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
        .finally(() => {
          // After a failure as well, so that callers do not all query an unavailable drive.
          listing.untilMs = now() + minAgeMs
        })
        .then((revision) => {
          const ageMs = Math.max((now() - beganAtMs) * ageOverDuration, minAgeMs)
          listing.untilMs = now() + Math.min(ageMs, maxAgeMs)
          return { revision, beganAtMs }
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
      for (const entry of entries) if (entry.key !== prefix) sum.add(entry)
    }
  }
}
