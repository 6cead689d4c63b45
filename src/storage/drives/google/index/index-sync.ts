import { DriveError } from '../../drive-error.ts'
import type { KeyLease, KeyLeases } from '../../kit/key-leases.ts'
import { GooglePageExpired } from '../api/google-failure.ts'
import { type GoogleTree, refreshFile, sortChanges } from './apply-changes.ts'
import type { IndexState } from './drive-index.ts'
import type { IndexCrawl } from './index-crawl.ts'

/** The lease of the process that syncs the index. */
const leaseKey = 'index'
/** Hidden files are deleted after a day, when no older change of them can still arrive. */
const tidyEveryMs = 3_600_000
const hiddenForMs = 86_400_000

interface IndexSyncOptions extends GoogleTree {
  readonly crawl: IndexCrawl
  readonly leases: KeyLeases
  /** Milliseconds between two polls of changes made by others. */
  readonly pollMs: number
  /** Other work to do at the same interval. */
  readonly recover: () => Promise<void>
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * Fills the index and keeps it up to date: first with a crawl, then with Google's feed of changes
 * every few seconds. One process at a time does this. Two at once would only waste calls, because a
 * page of the feed is stored together with the position where the feed continues.
 */
export class IndexSync {
  readonly #options: IndexSyncOptions
  readonly #closed = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<unknown> = Promise.resolve()
  #failure: unknown
  /** By performance.now(). */
  #tidyAtMs = 0

  constructor(options: IndexSyncOptions) {
    this.#options = options
  }

  start(): void {
    this.#schedule(0)
  }

  /** Whether the feed was read recently: then files that are not in the index do not exist. */
  async isFresh(): Promise<boolean> {
    const { index, rootId, pollMs, now } = this.#options
    const state = await index.state(rootId)
    const limitMs = Math.max(60_000, 3 * pollMs)
    return state !== undefined && Math.abs(now() - state.polledAtMs) < limitMs
  }

  async close(): Promise<void> {
    this.#closed.abort(new DriveError('unavailable', 'This drive is being closed.'))
    clearTimeout(this.#timer)
    await this.#running
  }

  #schedule(delayMs: number): void {
    if (this.#closed.signal.aborted) return
    this.#timer = setTimeout(() => {
      const { now, pollMs } = this.#options
      void this.turn(now() - pollMs).then(() => this.#schedule(pollMs))
    }, delayMs)
    this.#timer.unref()
  }

  /**
   * Updates the index, unless another process did so since then or is doing so. Never rejects: resolves with why it
   * failed.
   */
  turn(sinceMs: number): Promise<unknown> {
    const { log } = this.#options
    const turn = this.#running.then(async () => {
      try {
        await this.#work(sinceMs)
        if (this.#failure !== undefined) log.info({}, 'Google Drive index is up to date again')
        this.#failure = undefined
      } catch (error) {
        if (this.#closed.signal.aborted) return error
        // Logged only once, not at every poll.
        if (this.#failure === undefined) {
          log.warn({ err: error }, 'Google Drive index update failed; retrying')
        }
        this.#failure = error
      }
      return this.#failure
    })
    this.#running = turn
    return turn
  }

  async #work(sinceMs: number): Promise<void> {
    const { index, leases, rootId } = this.#options
    this.#closed.signal.throwIfAborted()
    const state = await index.state(rootId)
    if (state === undefined) return
    if (state.isReady && state.polledAtMs > sinceMs && !this.#isAhead(state)) return
    await leases.holdIfFree([leaseKey], async (lease) => {
      await this.#fill(lease)
      await this.#follow(lease)
      await this.#options.recover()
      await this.#tidy()
    })
  }

  /** Whether the clock was set back since the feed was read: then the age of the index is unknown. */
  #isAhead({ polledAtMs }: IndexState): boolean {
    return polledAtMs > this.#options.now()
  }

  /** The state of the index. @throws DriveError if this process no longer has the lease. */
  async #stateUnder(lease: KeyLease): Promise<IndexState> {
    const { index, rootId } = this.#options
    this.#closed.signal.throwIfAborted()
    lease.assertHeld()
    const state = await index.state(rootId)
    if (state === undefined) throw new DriveError('busy', 'Another process has replaced the index.')
    return state
  }

  /** Lists unlisted folders, from the root if there is no index. */
  async #fill(lease: KeyLease): Promise<void> {
    const { index, rootId, log } = this.#options
    let state = await this.#stateUnder(lease)
    if (state.crawl === 0) state = await this.#begin(state, lease)
    const found = await this.#list(state, lease)
    if (state.isReady) return
    await index.endCrawl(rootId)
    log.info({ files: found }, `Google Drive index: complete, ${found} files`)
  }

  async #list({ crawl }: IndexState, lease: KeyLease): Promise<number> {
    const onStep = async () => lease.assertHeld()
    return await this.#options.crawl.run(crawl, onStep, this.#closed.signal)
  }

  /** Records the feed's position before the crawl, so that no change in between is lost. */
  async #begin(state: IndexState, lease: KeyLease): Promise<IndexState> {
    const { api, index, rootId, log } = this.#options
    const token = await api.startPageToken({ signal: this.#closed.signal })
    await index.beginCrawl(rootId, state, token)
    log.info({}, 'Google Drive index: listing all folders')
    return await this.#stateUnder(lease)
  }

  async #follow(lease: KeyLease): Promise<void> {
    for (;;) {
      const state = await this.#stateUnder(lease)
      try {
        if (await this.#readPage(state)) break
        // The content of a new folder is likely to be requested soon.
        await this.#list(state, lease)
      } catch (error) {
        if (!(error instanceof GooglePageExpired)) throw error
        // The changes since then can no longer be read, so everything is listed again.
        await this.#begin(state, lease)
        break
      }
    }
    await this.#fill(lease)
  }

  /** True at the end of the feed. */
  async #readPage({ pageToken }: IndexState): Promise<boolean> {
    const { api, index, rootId, now } = this.#options
    const polledAtMs = now()
    const page = await api.changes(pageToken, { signal: this.#closed.signal })
    const { files, hidden, doubtful } = await sortChanges(this.#options, page.changes)
    const to = page.nextPageToken ?? page.newStartPageToken ?? pageToken
    const isLast = page.nextPageToken === undefined
    const step = { from: pageToken, to, files, hidden, ...(isLast && { polledAtMs }) }
    const isTaken = await index.advance(rootId, step)
    for (const folder of doubtful) {
      await refreshFile(this.#options, folder, this.#closed.signal)
    }
    return isLast && isTaken
  }

  async #tidy(): Promise<void> {
    const { index, now } = this.#options
    if (performance.now() < this.#tidyAtMs) return
    this.#tidyAtMs = performance.now() + tidyEveryMs
    await index.tidy(now() - hiddenForMs)
  }
}
