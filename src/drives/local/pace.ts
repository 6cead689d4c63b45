/** A call that takes longer than this does not come from memory: the disk is in it. */
const slowMs = 2
/** How long calls go through the thread pool after a slow one; grows while slowness comes back. */
const shortestPauseMs = 100
const longestPauseMs = 10_000
const pauseGrowth = 4

/**
 * Chooses between the two forms of a file system call. The synchronous one costs 1 to 5 µs when the
 * kernel answers from memory, a tenth of the asynchronous one, but stops the whole process when the
 * disk is slow. So: synchronous as long as that is fast, asynchronous for a while after it was not.
 * Only for calls that are short by nature; never for fsync.
 */
export class Pace {
  readonly #now: () => number
  #asyncUntil = Number.NEGATIVE_INFINITY
  #pauseMs = shortestPauseMs

  /** @param now milliseconds, steady. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Runs one of the two; both do the same. */
  run<T>(sync: () => T, async: () => Promise<T>): T | Promise<T> {
    const start = this.#now()
    if (start < this.#asyncUntil) return async()
    try {
      return sync()
    } finally {
      const end = this.#now()
      if (end - start > slowMs) this.#slowDown(start, end)
    }
  }

  #slowDown(start: number, end: number): void {
    // A single slow call now and then (a collected heap, a busy core) says little about the disk.
    const isNewTrouble = start - this.#asyncUntil > this.#pauseMs * pauseGrowth
    this.#pauseMs = isNewTrouble
      ? shortestPauseMs
      : Math.min(this.#pauseMs * pauseGrowth, longestPauseMs)
    this.#asyncUntil = end + this.#pauseMs
  }
}
