/**
 * Bodies make much garbage that V8 sees little of: every piece is a buffer of 64 KiB outside its
 * heap behind a small object on it, and a young generation that is large enough for many small
 * requests takes hundreds of MiB of dead buffers before it is collected. So it is collected once in
 * so many bytes (docs/decisions/0011); most of its objects are dead by then.
 */
const collectEveryBytes = 8 * 1024 * 1024

let uncollectedBytes = 0

/** Tells of bytes of a body that were read into a new buffer. Needs node's --expose-gc, see `npm start`. */
export function countBodyBytes(bytes: number): void {
  uncollectedBytes += bytes
  if (uncollectedBytes < collectEveryBytes) return
  uncollectedBytes = 0
  globalThis.gc?.({ type: 'minor', execution: 'sync' })
}
