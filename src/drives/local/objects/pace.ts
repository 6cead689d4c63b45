/** A call that takes longer than this did not run through: the disk was in it, or another process. */
const slowMs = 2
/** No scheduler delays a process for this long: such a call counts as a full measurement. */
const verySlowMs = 20
/** Slow calls fill a measure; every call empties it a little. About one slow call in 40 fills it. */
const fullMeasure = 2.5
const leakPerCall = 0.01
/** How long calls go through the thread pool then; grows while slowness comes back at once. */
const shortestPauseMs = 200
const longestPauseMs = 6_400
const pauseGrowth = 2

/**
 * Chooses between the two forms of a file system call. The synchronous one costs 1 to 5 µs when the
 * kernel answers from memory, a tenth of the asynchronous one, but stops the whole process when the
 * disk is slow. So: synchronous as long as that is fast, asynchronous for a while after it was not.
 * A busy core makes a call slow now and then, a busy disk many: only many count. Only for calls
 * that are short by nature; never for fsync.
 */
export class Pace {
  readonly #now: () => number
  #asyncUntil = Number.NEGATIVE_INFINITY
  #pauseMs = shortestPauseMs
  #measure = 0

  /** @param now milliseconds, steady. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Runs one of the two; both do the same. */
  run<T>(sync: () => T, async: () => Promise<T>): T | Promise<T> {
    const start = this.#now()
    if (start < this.#asyncUntil) return async()
    return this.#timed(start, sync)
  }

  /** As `run` for what has no other form; undefined, unrun, when that is not the faster one. */
  tryNow<T>(sync: () => T): T | undefined {
    const start = this.#now()
    return start < this.#asyncUntil ? undefined : this.#timed(start, sync)
  }

  #timed<T>(start: number, sync: () => T): T {
    try {
      return sync()
    } finally {
      const end = this.#now()
      this.#measure = Math.max(0, this.#measure - leakPerCall)
      if (end - start > slowMs) this.#count(start, end)
    }
  }

  #count(start: number, end: number): void {
    this.#measure += end - start > verySlowMs ? fullMeasure : 1
    if (this.#measure < fullMeasure) return
    this.#measure = 0
    const isBackAtOnce = start - this.#asyncUntil < this.#pauseMs
    this.#pauseMs = isBackAtOnce
      ? Math.min(this.#pauseMs * pauseGrowth, longestPauseMs)
      : shortestPauseMs
    this.#asyncUntil = end + this.#pauseMs
  }
}
