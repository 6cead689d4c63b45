/** A time limit was exceeded. */
export class TimeLimitError extends Error {
  constructor(limitMs: number) {
    super(`no answer within ${limitMs} ms`)
    this.name = 'TimeLimitError'
  }
}

/**
 * Settles as `work` does, or rejects with TimeLimitError when that takes too long. The work
 * continues, but its result is discarded.
 */
export function withinTime<Result>(work: Promise<Result>, limitMs: number): Promise<Result> {
  const late = () => new TimeLimitError(limitMs)
  return withDeadline(limitMs, late, (signal) => untilAborted(work, signal))
}

/** Gives `work` a signal that aborts when it takes too long, with a reason that is made then. */
export async function withDeadline<Result>(
  limitMs: number,
  reason: () => unknown,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(reason()), limitMs)
  try {
    return await work(late.signal)
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Settles as `work` does, or rejects with the signal's reason as soon as it aborts, for work that
 * can't be aborted itself: it continues, but its result is discarded.
 */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** Aborts with the same reason after a delay, which does not keep the process running. */
export function delayedAbort(signal: AbortSignal, delayMs: number): AbortSignal {
  const late = new AbortController()
  const begin = () => {
    setTimeout(() => late.abort(signal.reason), delayMs).unref()
  }
  if (signal.aborted) begin()
  else signal.addEventListener('abort', begin, { once: true })
  return late.signal
}

/**
 * Starts a stopwatch, and returns a function that returns the milliseconds since then. They include time in which this
 * process or its machine was suspended, as far as the system reports it. The monotonic clock stops while a machine
 * sleeps, so the wall clock is also read. If the wall clock is set forward, the result is too high, but never too low.
 */
export function stopwatch(): () => number {
  const began = performance.now()
  const beganAtMs = Date.now()
  return () => Math.max(performance.now() - began, Date.now() - beganAtMs)
}
