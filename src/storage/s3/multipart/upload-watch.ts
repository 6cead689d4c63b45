import type { Signals } from '../../../platform/state/database.ts'
import type { CommittedParts } from './upload-rows-table.ts'
import { type UploadRow, type UploadTable, withCommitted } from './upload-table.ts'

/**
 * The pause between two reads of the row is a share of the time since its last change, within limits, so a change
 * that is noticed late adds little to the wait.
 */
interface Pace {
  readonly shortestMs: number
  readonly longestMs: number
  readonly share: number
}

/** Another process has the lease: the next part starts when its part is committed. */
const waiting: Pace = { shortestMs: 4, longestMs: 500, share: 1 / 10 }
/** This process has the lease: another one can only abort or complete the upload. */
const holding: Pace = { shortestMs: 250, longestMs: 1_000, share: 1 / 4 }

/** While signals arrive, in case one is lost. The renewals of a lease holder also check the row. */
const signaled: Pace = { shortestMs: 1_000, longestMs: 5_000, share: 1 / 4 }

/** How often a waiting request checks whether the lease holder has died. */
export const livenessCheckMs = 500

/** What is known of an upload's row; `upload` is undefined if the row is gone. */
export interface KnownRow {
  readonly upload: UploadRow | undefined
}

interface Waiter {
  /** The fingerprint of the row that the waiter has read. */
  readonly seen: string
  readonly isHolder: boolean
  readonly isDue: (upload: UploadRow) => boolean
  readonly wake: () => void
}

/** Watches one upload for all requests of this process that wait for it. */
interface Watched {
  readonly waiters: Set<Waiter>
  /** As read last, or changed by this process since. */
  known: KnownRow | undefined
  /** When the last change was seen, or watching began; milliseconds of the monotonic clock. */
  quietSinceMs: number
  timer: NodeJS.Timeout | undefined
  isReading: boolean
  /** Whether the row may have changed since the read in progress began. */
  isOutdated: boolean
}

interface WaitOptions {
  /** The wait ends after this many milliseconds in any case. */
  readonly timeoutMs: number
  /** The wait ends when it aborts. */
  readonly signal: AbortSignal
  /** Whether the wait ends when the row has changed to this. Default: always. */
  readonly isDue?: (upload: UploadRow) => boolean
  /** Whether the caller has just taken the upload's lease, with this row. */
  readonly isHolder?: boolean
}

/**
 * Lets requests wait for an upload to change. A change made in this process wakes them at once
 * (`notify`). The database may signal a change made by another process. Otherwise, it is noticed by
 * polling the row, once for each upload and less often while nothing changes.
 */
export class UploadWatch {
  readonly #table: Pick<UploadTable, 'find' | 'subscribe'>
  readonly #uploads = new Map<string, Watched>()
  #isSubscribed = false
  #signals: Signals | undefined

  constructor(table: Pick<UploadTable, 'find' | 'subscribe'>) {
    this.#table = table
  }

  /**
   * The upload has changed: all requests that wait for it compare it with what they have seen.
   *
   * @param now the row if it is known; otherwise it is read.
   */
  notify(id: string, now?: UploadRow): void {
    const watched = this.#uploads.get(id)
    if (watched === undefined) return
    watched.isOutdated = true
    if (now === undefined) return void this.#poll(id, watched)
    this.#show(watched, now)
    this.#schedule(id, watched)
  }

  /**
   * Resolves when the upload differs from `upload` and is due, on timeout, or when the signal aborts. Resolves with
   * the last known row, if any, which may have changed since. Never rejects.
   */
  wait(upload: UploadRow, options: WaitOptions): Promise<KnownRow | undefined> {
    const { timeoutMs, signal, isDue = () => true, isHolder = false } = options
    if (signal.aborted) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const watched = this.#watched(upload.id)
      const wake = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', wake)
        watched.waiters.delete(waiter)
        this.#removeIdle(upload.id, watched)
        resolve(watched.known)
      }
      const waiter: Waiter = { seen: fingerprint(upload), isHolder, isDue, wake }
      const timer = setTimeout(wake, timeoutMs)
      signal.addEventListener('abort', wake, { once: true })
      watched.waiters.add(waiter)
      this.#begin(upload, watched, waiter)
    })
  }

  #begin(upload: UploadRow, watched: Watched, { seen, isHolder, isDue }: Waiter): void {
    if (isHolder) {
      watched.known = { upload }
      watched.isOutdated = true
    }
    const known = watched.known?.upload
    // If not quiet, the row may have changed in what the caller waits for since the caller read it.
    const isQuiet = fingerprint(known) === seen || (known !== undefined && !isDue(known))
    if (isQuiet) this.#schedule(upload.id, watched)
    else void this.#poll(upload.id, watched)
  }

  #watched(id: string): Watched {
    const known = this.#uploads.get(id)
    if (known !== undefined) return known
    this.#subscribe()
    const watched: Watched = {
      waiters: new Set(),
      known: undefined,
      quietSinceMs: performance.now(),
      timer: undefined,
      isReading: false,
      isOutdated: false,
    }
    this.#uploads.set(id, watched)
    return watched
  }

  #subscribe(): void {
    if (this.#isSubscribed) return
    this.#isSubscribed = true
    this.#signals = this.#table.subscribe((id, committed) => {
      if (id === undefined) for (const each of this.#uploads.keys()) this.notify(each)
      else this.#receive(id, committed)
    })
  }

  #receive(id: string, committed: CommittedParts | undefined): void {
    const known = this.#uploads.get(id)?.known?.upload
    if (committed === undefined || known?.phase !== 'open') this.notify(id)
    // Otherwise the row was read after this commit.
    else if (committed.partCount > known.partCount) this.notify(id, withCommitted(known, committed))
  }

  #removeIdle(id: string, watched: Watched): void {
    if (watched.waiters.size > 0) return
    clearTimeout(watched.timer)
    if (this.#uploads.get(id) === watched) this.#uploads.delete(id)
  }

  async #poll(id: string, watched: Watched, isTimed = false): Promise<void> {
    if (watched.isReading) return
    watched.isReading = true
    clearTimeout(watched.timer)
    try {
      let current: UploadRow | undefined
      let reads = 0
      do {
        watched.isOutdated = false
        current = await this.#table.find(id)
        reads += 1
      } while (watched.isOutdated && watched.waiters.size > 0)
      if (isTimed && reads === 1 && isMissed(watched.known, current)) this.#signals?.doubt()
      this.#show(watched, current)
    } catch {
      // The database does not respond. Each waiter learns that from its own read.
    }
    watched.isReading = false
    this.#schedule(id, watched)
  }

  /** Wakes the waiters for which the row has changed. */
  #show(watched: Watched, upload: UploadRow | undefined): void {
    const current = fingerprint(upload)
    if (fingerprint(watched.known?.upload) !== current) watched.quietSinceMs = performance.now()
    watched.known = { upload }
    for (const waiter of [...watched.waiters]) {
      if (waiter.seen === current) continue
      if (upload === undefined || waiter.isDue(upload)) waiter.wake()
    }
  }

  #schedule(id: string, watched: Watched): void {
    if (watched.isReading || watched.waiters.size === 0) return
    clearTimeout(watched.timer)
    const isHeldHere = [...watched.waiters].some(({ isHolder }) => isHolder)
    const isLive = this.#signals?.isLive === true
    if (isLive && isHeldHere) return
    const { shortestMs, longestMs, share } = isLive ? signaled : isHeldHere ? holding : waiting
    const quietMs = performance.now() - watched.quietSinceMs
    const pauseMs = Math.min(Math.max(quietMs * share, shortestMs), longestMs)
    watched.timer = setTimeout(() => void this.#poll(id, watched, isLive), pauseMs)
  }
}

/** Whether the row has changed in a way that signals report. */
function isMissed(known: KnownRow | undefined, upload: UploadRow | undefined): boolean {
  if (known?.upload === undefined) return false
  return upload?.phase !== known.upload.phase || upload.partCount !== known.upload.partCount
}

/** Everything that waiters act upon. A renewed lease is not a change. */
function fingerprint(upload: UploadRow | undefined): string {
  if (upload === undefined) return ''
  const { phase, partCount, touchedAtMs, leaseOwner, driveState } = upload
  return [phase, partCount, touchedAtMs, leaseOwner, driveState].join('\n')
}
