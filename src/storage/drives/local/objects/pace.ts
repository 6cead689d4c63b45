import fs from 'node:fs'

/** A call that takes longer than this waited for the disk, unless this thread waited for a core. */
const slowCallMs = 2
/** A call takes very long from this many times `slowMs` on: one such call is enough. */
const verySlowTimes = 10
/** Each slow call adds 1, and every call subtracts a little. One slow call in about 40 reaches this sum. */
const fullMeasure = 2.5
const leakPerCall = 0.01
/** How long calls use the thread pool after a slow call. It grows each time calls are slow again right after that. */
const shortestPauseMs = 200
const longestPauseMs = 6_400
const pauseGrowth = 2

interface PaceOptions {
  /** A call that takes longer is slow. */
  readonly slowMs?: number
  /** Milliseconds of a clock that is never set back. */
  readonly now?: () => number
  /** Milliseconds that this thread has waited for a core so far. */
  readonly coreWaitMs?: () => number
}

/**
 * Chooses between the two forms of a file system call. The synchronous one costs 1 to 5 µs when the
 * kernel answers from memory, a tenth of the asynchronous one, but blocks the whole process when the
 * disk is slow. So calls are synchronous while they are fast, and asynchronous for a while after they
 * were slow. The time that a call waited for a core does not count, because the other form waits as long. Use it
 * only for short calls, never for fsync.
 */
export class Pace {
  readonly #now: () => number
  readonly #coreWaitMs: () => number
  readonly #slowMs: number
  /** At the end of the last call that seemed slow. */
  #coreWaitedMs = 0
  #asyncUntil: number
  #pauseMs = shortestPauseMs
  #measure = 0

  /** @param mayHang whether a call may never return: then no call is synchronous */
  constructor(
    mayHang: boolean,
    {
      slowMs = slowCallMs,
      now = () => performance.now(),
      coreWaitMs = threadCoreWaitMs,
    }: PaceOptions = {},
  ) {
    this.#slowMs = slowMs
    this.#asyncUntil = mayHang ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
    this.#now = now
    this.#coreWaitMs = coreWaitMs
  }

  /** Runs one of the two, which must do the same. */
  run<T>(sync: () => T, async: () => Promise<T>): T | Promise<T> {
    const start = this.#now()
    if (start < this.#asyncUntil) return async()
    return this.#timed(start, sync)
  }

  /** As `run`, for a call without an asynchronous form: returns undefined while calls are slow. */
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
      if (end - start > this.#slowMs) this.#count(start, end)
    }
  }

  #count(start: number, end: number): void {
    const tookMs = end - start - this.#takeCoreWait()
    if (tookMs <= this.#slowMs) return
    this.#measure += tookMs > verySlowTimes * this.#slowMs ? fullMeasure : 1
    if (this.#measure < fullMeasure) return
    this.#measure = 0
    const isBackAtOnce = start - this.#asyncUntil < this.#pauseMs
    this.#pauseMs = isBackAtOnce
      ? Math.min(this.#pauseMs * pauseGrowth, longestPauseMs)
      : shortestPauseMs
    this.#asyncUntil = end + this.#pauseMs
  }

  /**
   * The wait for a core since the last call that seemed slow. It contains the wait during this call, and little else if the
   * disk makes one call after the other slow.
   */
  #takeCoreWait(): number {
    const before = this.#coreWaitedMs
    this.#coreWaitedMs = this.#coreWaitMs()
    return this.#coreWaitedMs - before
  }
}

/**
 * Other processes used the cores, or the quota of a container was used up: both can take more than 100 ms. The second
 * number of schedstat, in nanoseconds (Linux, Documentation/scheduler/sched-stats.rst). 0 if the system does not report it.
 */
function threadCoreWaitMs(): number {
  try {
    const [, waitedNs] = fs.readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')
    return Number(waitedNs) / 1e6 || 0
  } catch {
    return 0
  }
}
