/** A time limit was exceeded. */
export class TimeLimitError extends Error {
  constructor(limitMs: number) {
    super(`no answer within ${limitMs} ms`)
    this.name = 'TimeLimitError'
  }
}

/**
 * Settles as `work` does, or rejects with TimeLimitError when the work takes too long. The work
 * continues, but its result is discarded.
 */
export function withinTime<Result>(work: Promise<Result>, limitMs: number): Promise<Result> {
  const late = () => new TimeLimitError(limitMs)
  return withDeadline(limitMs, late, (signal) => untilAborted(work, signal))
}

/** Passes `work` a signal that aborts when the work takes too long. The reason is created only then. */
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
 * Settles as `work` does, or rejects with the signal's reason as soon as the signal aborts. For work
 * that can't be aborted itself: the work continues, but its result is discarded.
 */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** A signal that aborts after the given one with a delay and the same reason. Does not keep the process running. */
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
 * Starts a stopwatch, and returns a function that returns the elapsed milliseconds. They include time during which this
 * process or its machine was suspended, if the system reports it. The monotonic clock stops while a machine sleeps, so
 * the wall clock is also read. If the wall clock is set forward, the result is too high; it is never too low.
 */
export function stopwatch(): () => number {
  const began = performance.now()
  const beganAtMs = Date.now()
  return () => Math.max(performance.now() - began, Date.now() - beganAtMs)
}
