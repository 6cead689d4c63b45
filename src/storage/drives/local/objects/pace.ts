/** A call that takes longer than this was interrupted: by the disk, or by another process. */
const slowMs = 2
/** No scheduler delays a process for this long: such a call counts as a full measurement. */
const verySlowMs = 20
/** Each slow call adds 1, and every call subtracts a little. One slow call in about 40 reaches it. */
const fullMeasure = 2.5
const leakPerCall = 0.01
/** How long calls then use the thread pool; grows while calls are slow again immediately. */
const shortestPauseMs = 200
const longestPauseMs = 6_400
const pauseGrowth = 2

/**
 * Chooses between the two forms of a file system call. The synchronous one costs 1 to 5 µs when the
 * kernel answers from memory, a tenth of the asynchronous one, but blocks the whole process when the
 * disk is slow. So calls are synchronous while they are fast, and asynchronous for a while after they
 * were slow. A busy core makes single calls slow, a busy disk many: only many count. Use it only for
 * short calls; never for fsync.
 */
export class Pace {
  readonly #now: () => number
  #asyncUntil: number
  #pauseMs = shortestPauseMs
  #measure = 0

  /**
   * @param mayHang whether a call may take forever: then none is synchronous
   * @param now milliseconds of a clock that is never set back
   */
  constructor(mayHang: boolean, now: () => number = () => performance.now()) {
    this.#asyncUntil = mayHang ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
    this.#now = now
  }

  /** Runs one of the two, which must do the same. */
  run<T>(sync: () => T, async: () => Promise<T>): T | Promise<T> {
    const start = this.#now()
    if (start < this.#asyncUntil) return async()
    return this.#timed(start, sync)
  }

  /** As `run`, for a call without an asynchronous form: returns undefined instead of running that. */
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
