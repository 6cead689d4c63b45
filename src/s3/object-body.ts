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

/** The first bytes are read before the reply begins: what fails until then can be answered. */
async function streamBody(
  object: OpenObject,
  { start, end }: ByteRange,
  signal: AbortSignal,
): Promise<StreamBody> {
  const reading = object.read(start, end)[Symbol.asyncIterator]()
  const stop = async (): Promise<void> => {
    signal.removeEventListener('abort', onAbort)
    await object.close()
    await reading.return?.()
  }
  // Nobody may ever ask for the bytes; the signal covers that case too.
  const onAbort = (): void => {
    // The client is gone: nobody is left to be told.
    stop().catch(() => undefined)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    const first = await reading.next()
    return { length: end - start, chunks: chunks(first) }
  } catch (error) {
    await stop()
    throw error
  }

  async function* chunks(first: IteratorResult<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for (let next = first; next.done !== true; next = await reading.next()) yield next.value
    } finally {
      await stop()
    }
  }
}
