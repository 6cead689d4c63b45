/**
 * Bodies create garbage that V8 hardly accounts for: every piece is a buffer of 64 KiB outside its
 * heap behind a small object on it, and a young generation that is large enough for many small
 * requests takes hundreds of MiB of dead buffers before it is collected. So it is collected after
 * this many bytes (docs/decisions/0011-memory-of-the-heap.md), when most of its objects are dead.
 */
const collectEveryBytes = 8 * 1024 * 1024

let uncollectedBytes = 0

/**
 * Reports body bytes that were read into a new buffer. Needs node's --expose-gc, see `npm start`.
 */
export function countBodyBytes(bytes: number): void {
  uncollectedBytes += bytes
  if (uncollectedBytes < collectEveryBytes) return
  uncollectedBytes = 0
  globalThis.gc?.({ type: 'minor', execution: 'sync' })
}
