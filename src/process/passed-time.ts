/**
 * Begins to measure a time, and returns what tells the milliseconds since. As far as the system tells, they include
 * the time in which this process or its machine was suspended: the monotonic clock stands still while a machine
 * sleeps. If the clock is set forward meanwhile, the time is too long, but never too short.
 */
export function stopwatch(): () => number {
  const began = performance.now()
  const beganAtMs = Date.now()
  return () => Math.max(performance.now() - began, Date.now() - beganAtMs)
}
