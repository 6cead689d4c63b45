/**
 * The size of the pieces written to the socket. During one write of many MiB, no progress is
 * visible, and a slow connection would look like a dead one.
 */
const pieceBytes = 1024 * 1024

/** The bytes of `chunks` from `start` on, in pieces and without copying. */
export async function* piecesFrom(
  chunks: readonly Uint8Array[],
  start: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let skip = start
  for (const chunk of chunks) {
    for (let at = Math.min(skip, chunk.length); at < chunk.length; at += pieceBytes) {
      yield chunk.subarray(at, at + pieceBytes)
    }
    skip = Math.max(0, skip - chunk.length)
  }
}
