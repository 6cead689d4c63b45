import type { UploadRow } from '../../state/stores/uploads.ts'

/**
 * The pause between two reads of the row is a twentieth of the time since its last change, within
 * these limits: noticing a change late then adds little to the wait.
 */
const shortestPauseMs = 4
const longestPauseMs = 200
const pauseShare = 1 / 20

/** How often a waiting request checks whether the lease holder has died. */
export const livenessCheckMs = 1_000

interface Waiter {
  /** The fingerprint of the row that the waiter has read. */
  readonly seen: string
  readonly wake: () => void
}

/** Polls one upload for all requests of this process that wait for it. */
interface Poller {
  readonly waiters: Set<Waiter>
  /** When the last change was seen, or polling began; milliseconds of the monotonic clock. */
  quietSinceMs: number
  timer: NodeJS.Timeout | undefined
  isReading: boolean
}

export interface WaitOptions {
  /** The wait ends after this many milliseconds in any case. */
  readonly timeoutMs: number
  /** The wait ends when it aborts. */
  readonly signal: AbortSignal
}

/**
 * Lets requests wait for an upload to change. A change made in this process wakes them at once
 * (`notify`); a change made by another process is noticed by polling the row, once for each upload:
 * every 4 ms, and less often while nothing changes.
 */
export class UploadWatch {
  readonly #find: (id: string) => Promise<UploadRow | undefined>
  readonly #pollers = new Map<string, Poller>()

  constructor(find: (id: string) => Promise<UploadRow | undefined>) {
    this.#find = find
  }

  /** Wakes all requests that wait for the upload. */
  notify(id: string): void {
    const poller = this.#pollers.get(id)
    if (poller === undefined) return
    for (const waiter of [...poller.waiters]) waiter.wake()
  }

  /**
   * Resolves when the upload may differ from `upload`, on timeout, or when the signal aborts. The
   * caller reads the row again to see which. Never rejects.
   */
  wait(upload: UploadRow, options: WaitOptions): Promise<void> {
    const { timeoutMs, signal } = options
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const poller = this.#pollerFor(upload.id)
      const wake = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', wake)
        poller.waiters.delete(waiter)
        this.#removeIdle(upload.id, poller)
        resolve()
      }
      const waiter: Waiter = { seen: fingerprint(upload), wake }
      const timer = setTimeout(wake, timeoutMs)
      signal.addEventListener('abort', wake, { once: true })
      poller.waiters.add(waiter)
      // The row may have changed since the caller read it.
      void this.#poll(upload.id, poller)
    })
  }

  #pollerFor(id: string): Poller {
    const known = this.#pollers.get(id)
    if (known !== undefined) return known
    const poller: Poller = {
      waiters: new Set(),
      quietSinceMs: performance.now(),
      timer: undefined,
      isReading: false,
    }
    this.#pollers.set(id, poller)
    return poller
  }

  #removeIdle(id: string, poller: Poller): void {
    if (poller.waiters.size > 0) return
    clearTimeout(poller.timer)
    if (this.#pollers.get(id) === poller) this.#pollers.delete(id)
  }

  async #poll(id: string, poller: Poller): Promise<void> {
    if (poller.isReading) return
    poller.isReading = true
    clearTimeout(poller.timer)
    const isChanged = await this.#wakeChanged(id, poller)
    poller.isReading = false
    if (isChanged) poller.quietSinceMs = performance.now()
    if (poller.waiters.size === 0) return
    const quietMs = performance.now() - poller.quietSinceMs
    const pauseMs = Math.min(Math.max(quietMs * pauseShare, shortestPauseMs), longestPauseMs)
    poller.timer = setTimeout(() => void this.#poll(id, poller), pauseMs)
  }

  async #wakeChanged(id: string, poller: Poller): Promise<boolean> {
    let current: string
    try {
      const upload = await this.#find(id)
      current = upload === undefined ? '' : fingerprint(upload)
    } catch {
      // The database is not responding. Each waiter learns that from its own read.
      return false
    }
    let isChanged = false
    for (const waiter of [...poller.waiters]) {
      if (waiter.seen === current) continue
      isChanged = true
      waiter.wake()
    }
    return isChanged
  }
}

/** Everything that a waiter acts upon. A renewed lease is not a change. */
function fingerprint(upload: UploadRow): string {
  return [upload.phase, upload.partCount, upload.leaseOwner, upload.driveState].join('\n')
}
