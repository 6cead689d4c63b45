/**
 * Each block wakes three other threads, or this one for them: with blocks of 256 KiB that is a sixth of
 * the CPU time of an upload.
 */
export const largeBlockBytes = 1024 * 1024

/** Unused blocks are given back to the system after this time. */
const idleMs = 5_000

const unused: Buffer[] = []
let idle: NodeJS.Timeout | undefined

/**
 * A block in memory that threads share. If they transfer it to each other instead, V8 counts it as allocated each time,
 * and collects all garbage of the process about every 50 MiB: a sixth of the CPU time of an upload. V8 does not count
 * shared memory at all, so what is not used here is kept for the next upload instead of leaving it to the collector.
 */
export function takeLargeBlock(): Buffer {
  return unused.pop() ?? Buffer.from(new SharedArrayBuffer(largeBlockBytes))
}

/** Nobody may use the block any more, in any thread. */
export function returnLargeBlock(block: Buffer): void {
  unused.push(block)
  idle = idle?.refresh() ?? setTimeout(() => unused.splice(0), idleMs).unref()
}
