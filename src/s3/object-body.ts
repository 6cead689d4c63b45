import type { OpenObject } from '../drives/drive.ts'
import type { HttpRequest, StreamBody } from '../http/message.ts'
import type { ByteRange } from './range.ts'

/** Up to this size the bytes are read before the reply begins, in one piece; bytes. */
const bufferedBytes = 64 * 1024

/**
 * The bytes of an open object as the body of a reply. Takes the object over: it is closed when the
 * bytes are read, when reading fails, and when the client goes away, even if nobody ever asks for
 * the first byte.
 */
export async function objectBody(
  object: OpenObject,
  range: ByteRange,
  request: Pick<HttpRequest, 'signal'>,
): Promise<Uint8Array | StreamBody> {
  // The signal is made when it is asked for, so small reads do without.
  if (range.end - range.start <= bufferedBytes) return readAll(object, range)
  return streamBody(object, range, request.signal)
}

async function readAll(object: OpenObject, { start, end }: ByteRange): Promise<Uint8Array> {
  try {
    const bytes = Buffer.allocUnsafe(end - start)
    let filled = 0
    if (start < end) {
      // Copied, for a drive may use a chunk again once the object is closed.
      for await (const chunk of object.read(start, end)) {
        bytes.set(chunk, filled)
        filled += chunk.length
      }
    }
    return bytes.subarray(0, filled)
  } finally {
    await object.close()
  }
}

function streamBody(
  object: OpenObject,
  { start, end }: ByteRange,
  signal: AbortSignal,
): StreamBody {
  // A generator that never starts never reaches its `finally`; the signal covers that case too.
  const onAbort = (): void => {
    void object.close()
  }
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  return { length: end - start, chunks: chunks() }

  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      yield* object.read(start, end)
    } finally {
      signal.removeEventListener('abort', onAbort)
      await object.close()
    }
  }
}
