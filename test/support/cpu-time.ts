/**
 * Milliseconds that this thread computes for in `work`: unlike the time on the wall they do not
 * depend on what else the machine does.
 */
export function cpuMsOf(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** The least of three measurements: one may include a garbage collection, or a processor that two threads share. */
export function leastCpuMsOf(work: () => unknown): number {
  return Math.min(...Array.from({ length: 3 }, () => cpuMsOf(work)))
}
