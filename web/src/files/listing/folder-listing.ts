import { Store } from '../../ui/store.ts'
import type { Entry } from '../entries/entry.ts'
import { mergeByName } from '../entries/entry-order.ts'
import type { FolderPage } from './folder-pages.ts'

export type ListingProgress = 'loading' | 'stopped' | 'failed' | 'complete'

export interface ListingState {
  /** Sorted by name. */
  readonly entries: readonly Entry[]
  readonly status: ListingProgress
  /** Set if loading failed. */
  readonly error: Error | undefined
  /** When the entries last changed, by the clock of the listing. */
  readonly updatedAtMs: number
}

interface FolderListingParts {
  readonly fetchPage: (
    continuationToken: string | undefined,
    signal: AbortSignal,
  ) => Promise<FolderPage>
  /** Monotonic, milliseconds. */
  readonly now: () => number
  /** Called with the keys that a refresh no longer found, before they are removed. */
  readonly onGone?: (keys: ReadonlySet<string>) => void
}

interface Change {
  readonly added: readonly Entry[]
  readonly removed: ReadonlySet<string>
}

/** Loading stops after this many entries. Each `resume` loads as many again. */
export const autoLoadEntries = 100_000

/** The minimum interval between notifications of listeners, after the first page. */
const notifyEveryMs = 250

/** Loads the entries of a folder page by page. Starts when `resume` is called. */
export class FolderListing extends Store<ListingState> {
  readonly #parts: FolderListingParts
  #entries: readonly Entry[] = []
  #token: string | undefined
  #hasFirstPage = false
  #limit = autoLoadEntries
  #running: AbortController | undefined
  /** Changes that arrived during a refresh. */
  #missed: Change[] | undefined
  #updatedAtMs = 0
  #notifiedAtMs = Number.NEGATIVE_INFINITY

  constructor(parts: FolderListingParts) {
    super({ entries: [], status: 'loading', error: undefined, updatedAtMs: 0 })
    this.#parts = parts
  }

  /** Continues after a stop or failure. */
  resume(): void {
    if (this.#running !== undefined || this.snapshot().status === 'complete') return
    if (this.#entries.length >= this.#limit) this.#limit += autoLoadEntries
    const running = new AbortController()
    this.#running = running
    this.#notify('loading')
    void this.#load(running.signal)
  }

  /** Loaded entries are kept. */
  stop(): void {
    if (this.#running === undefined) return
    this.#running.abort()
    this.#running = undefined
    this.#notify('stopped')
  }

  /** Applies additions and removals that are not part of loaded pages. */
  change(added: readonly Entry[], removed: ReadonlySet<string>): void {
    this.#missed?.push({ added, removed })
    this.#entries = changed(this.#entries, { added, removed })
    this.#updatedAtMs = this.#parts.now()
    this.#notify(this.snapshot().status)
  }

  /**
   * Reloads a complete listing and shows it once it is fully loaded. On rejection the shown entries
   * are kept.
   */
  async refresh(signal: AbortSignal): Promise<void> {
    const missed: Change[] = []
    this.#missed = missed
    try {
      let entries: readonly Entry[] = []
      let token: string | undefined
      do {
        const page = await this.#parts.fetchPage(token, signal)
        signal.throwIfAborted()
        entries = mergeByName(entries, page.entries)
        token = page.continuationToken
      } while (token !== undefined)
      this.#replace(missed.reduce(changed, entries))
    } finally {
      this.#missed = undefined
    }
  }

  /** Unchanged entries keep their identity, so that their rows are not rendered again. */
  #replace(entries: readonly Entry[]): void {
    const before = new Map(this.#entries.map((entry) => [entry.key, entry]))
    const kept = entries.map((entry) => {
      const old = before.get(entry.key)
      before.delete(entry.key)
      return old !== undefined && isSame(old, entry) ? old : entry
    })
    if (before.size > 0) this.#parts.onGone?.(new Set(before.keys()))
    this.#entries = kept
    this.#end('complete')
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

  #take({ entries, continuationToken }: FolderPage): void {
    // The first page is shown at once, because the next one may take long.
    const isDue = this.#parts.now() - this.#notifiedAtMs >= notifyEveryMs || !this.#hasFirstPage
    this.#entries = mergeByName(this.#entries, entries)
    this.#token = continuationToken
    this.#hasFirstPage = true
    if (isDue) this.#notify('loading')
  }

  #end(status: ListingProgress, error?: Error): void {
    this.#running = undefined
    this.#updatedAtMs = this.#parts.now()
    this.#notify(status, error)
  }

  #notify(status: ListingProgress, error?: Error): void {
    this.#notifiedAtMs = this.#parts.now()
    this.publish({ entries: this.#entries, status, error, updatedAtMs: this.#updatedAtMs })
  }
}

function changed(entries: readonly Entry[], { added, removed }: Change): readonly Entry[] {
  const left = removed.size === 0 ? entries : entries.filter(({ key }) => !removed.has(key))
  return mergeByName(left, added)
}

function isSame(a: Entry, b: Entry): boolean {
  if (a.kind === 'folder' || b.kind === 'folder') return a.kind === b.kind
  const isSameTime = a.modifiedAtMs === b.modifiedAtMs && a.fileTimeMs === b.fileTimeMs
  return isSameTime && a.size === b.size && a.etag === b.etag
}
