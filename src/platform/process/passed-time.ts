/**
 * Starts a stopwatch, and returns a function that returns the milliseconds since then. They include time in which this
 * process or its machine was suspended, as far as the system reports it. The monotonic clock stops while a machine
 * sleeps, so the wall clock is read, too. If the wall clock is set forward, the result is too high, but never too low.
 */
export function stopwatch(): () => number {
  const began = performance.now()
  const beganAtMs = Date.now()
  return () => Math.max(performance.now() - began, Date.now() - beganAtMs)
}
