import type { Entry } from './entry.ts'
import { mergeByName } from './entry-order.ts'
import type { ListingPage } from './listing-xml.ts'

export type ListingStatus = 'loading' | 'stopped' | 'failed' | 'complete'

export interface ListingState {
  /** By name. */
  readonly entries: readonly Entry[]
  readonly status: ListingStatus
  /** Set when it failed. */
  readonly error: Error | undefined
}

export interface FolderListingParts {
  readonly fetchPage: (
    continuationToken: string | undefined,
    signal: AbortSignal,
  ) => Promise<ListingPage>
  /** Monotonic, milliseconds. */
  readonly now: () => number
}

/** Loading goes on by itself up to so many entries, then for as many more each time it is told. */
export const autoLoadEntries = 100_000

/** Who looks is told no more often, however fast the pages come. */
const tellEveryMs = 250

/** The entries of one folder, page after page. Starts when `resume` is called. */
export class FolderListing {
  readonly #parts: FolderListingParts
  readonly #listeners = new Set<() => void>()
  #state: ListingState = { entries: [], status: 'loading', error: undefined }
  #entries: readonly Entry[] = []
  #token: string | undefined
  #hasFirstPage = false
  #limit = autoLoadEntries
  #running: AbortController | undefined
  #toldAtMs = Number.NEGATIVE_INFINITY

  constructor(parts: FolderListingParts) {
    this.#parts = parts
  }

  readonly snapshot = (): ListingState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Goes on where it stopped or failed. */
  resume(): void {
    if (this.#running !== undefined || this.#state.status === 'complete') return
    if (this.#entries.length >= this.#limit) this.#limit += autoLoadEntries
    const running = new AbortController()
    this.#running = running
    this.#tell('loading')
    void this.#load(running.signal)
  }

  /** What has come stays. */
  stop(): void {
    if (this.#running === undefined) return
    this.#running.abort()
    this.#running = undefined
    this.#tell('stopped')
  }

  /** What has come to the folder and what has gone from it, besides what pages tell. */
  change(added: readonly Entry[], removed: ReadonlySet<string>): void {
    const left =
      removed.size === 0 ? this.#entries : this.#entries.filter(({ key }) => !removed.has(key))
    this.#entries = mergeByName(left, added)
    this.#tell(this.#state.status)
  }

  async #load(signal: AbortSignal): Promise<void> {
    try {
      while (!this.#hasFirstPage || this.#token !== undefined) {
        const page = await this.#parts.fetchPage(this.#token, signal)
        if (signal.aborted) return
        this.#take(page)
        if (this.#token !== undefined && this.#entries.length >= this.#limit) {
          this.stop()
          return
        }
      }
      this.#end('complete')
    } catch (error) {
      if (signal.aborted) return
      this.#end('failed', error instanceof Error ? error : new Error(String(error)))
    }
  }

  #take({ entries, continuationToken }: ListingPage): void {
    this.#entries = mergeByName(this.#entries, entries)
    this.#token = continuationToken
    this.#hasFirstPage = true
    if (this.#parts.now() - this.#toldAtMs >= tellEveryMs) this.#tell('loading')
  }

  #end(status: ListingStatus, error?: Error): void {
    this.#running = undefined
    this.#tell(status, error)
  }

  #tell(status: ListingStatus, error?: Error): void {
    this.#toldAtMs = this.#parts.now()
    this.#state = { entries: this.#entries, status, error }
    for (const listener of this.#listeners) listener()
  }
}
