import { TimeLimitError, withinTime } from '../../../../platform/process/time-limit.ts'
import { DriveError } from '../../drive-error.ts'
import type { DriveIndex } from './drive-index.ts'
import type { IndexCrawl } from './index-crawl.ts'

/** How long a request waits for folders to be listed before it fails with `busy`. */
const waitMs = 5_000
const busyRetrySeconds = 10
/** Folders that are listed concurrently on request. */
const mostAtOnce = 64

interface FolderListingsOptions {
  readonly index: Pick<DriveIndex, 'state' | 'unlistedOf'>
  readonly crawl: Pick<IndexCrawl, 'list'>
  readonly rootId: string
}

/** The time limit of one request; see `FolderListings.deadline`. */
export interface ListingDeadline {
  /** Of performance.now(). */
  readonly untilMs: number
}

/**
 * Folders whose content the index does not have yet: new ones, those that were moved in, and all of
 * them during the first crawl. A process that needs the content of a folder lists it immediately,
 * without waiting for the crawl.
 */
export class FolderListings {
  readonly #options: FolderListingsOptions
  readonly #closed = new AbortController()
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(options: FolderListingsOptions) {
    this.#options = options
  }

  /** The time limit of one request, for all its waits together. */
  deadline(): ListingDeadline {
    return { untilMs: performance.now() + waitMs }
  }

  /**
   * Resolves when the index has the content of these folders.
   *
   * @throws DriveError `busy` if that takes too long; the error of a listing.
   */
  async complete(folders: readonly string[], { untilMs }: ListingDeadline): Promise<void> {
    const unlisted = await this.#options.index.unlistedOf(folders)
    if (unlisted.length === 0) return
    const listings = Promise.all(unlisted.map((id) => this.#list(id)))
    try {
      await withinTime(listings, Math.max(0, untilMs - performance.now()))
    } catch (error) {
      throw error instanceof TimeLimitError ? tooSlow() : error
    }
  }

  async close(): Promise<void> {
    this.#closed.abort(new DriveError('unavailable', 'This drive is being closed.'))
    await Promise.allSettled(this.#underWay.values())
  }

  /** A listing continues after its requests have ended, so that the next request finds it done. */
  #list(id: string): Promise<void> {
    const running = this.#underWay.get(id)
    if (running !== undefined) return running
    if (this.#underWay.size >= mostAtOnce) return Promise.reject(tooSlow())
    const listing = this.#run(id).finally(() => this.#underWay.delete(id))
    this.#underWay.set(id, listing)
    listing.catch(() => undefined)
    return listing
  }

  async #run(id: string): Promise<void> {
    const { index, crawl, rootId } = this.#options
    this.#closed.signal.throwIfAborted()
    const state = await index.state(rootId)
    await crawl.list([id], state?.crawl ?? 0, this.#closed.signal)
  }
}

function tooSlow(): DriveError {
  const message = 'This folder on Google Drive is being listed for the first time. Try again soon.'
  return new DriveError('busy', message, { retryAfterSeconds: busyRetrySeconds })
}
