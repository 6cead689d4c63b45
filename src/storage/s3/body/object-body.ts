import type { HttpRequest, StreamBody } from '../../../platform/http/message.ts'
import type { Borrow, OpenObject } from '../../drives/drive.ts'
import { lendRange } from '../../drives/lend-range.ts'
import type { ObjectRange } from '../headers/range.ts'

/** Up to this many bytes are read in one piece before the reply begins. */
const bufferedBytes = 64 * 1024

/**
 * The bytes of an open object as the body of a reply. Takes over the object: it is closed when the
 * bytes are read, when reading fails, and when the client disconnects, even before the first byte.
 */
export async function objectBody(
  object: OpenObject,
  range: ObjectRange,
  request: Pick<HttpRequest, 'signal'>,
): Promise<Uint8Array | StreamBody> {
  // The getter creates the signal, so small reads do not use it.
  if (range.end - range.start <= bufferedBytes) return readAll(object, range)
  return streamBody(object, range, request.signal)
}

async function readAll(object: OpenObject, { start, end }: ObjectRange): Promise<Uint8Array> {
  try {
    const bytes = object.readNow?.(start, end)
    if (bytes !== undefined) return bytes
    const chunks: Uint8Array[] = []
    for await (const chunk of object.read(start, end)) chunks.push(chunk)
    return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
  } finally {
    await object.close()
  }
}

/** Reads the first bytes before the reply begins, so that an early failure gets an error reply. */
async function streamBody(
  object: OpenObject,
  range: ObjectRange,
  signal: AbortSignal,
): Promise<StreamBody> {
  const first = Promise.withResolvers<void>()
  const borrower = Promise.withResolvers<Borrow>()
  // The bytes may never be requested.
  borrower.promise.catch(() => undefined)
  const lending = lendRange(object, range, async (chunk) => {
    first.resolve()
    const borrow = await borrower.promise
    await borrow(chunk)
  })
  const close = async (): Promise<void> => {
    signal.removeEventListener('abort', onAbort)
    borrower.reject(new Error('the response body was closed'))
    await object.close()
    // The failure was already reported.
    await lending.catch(() => undefined)
  }
  const onAbort = (): void => {
    // The client has disconnected, so the failure cannot be reported.
    close().catch(() => undefined)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  const lend = async (borrow: Borrow): Promise<void> => {
    borrower.resolve(borrow)
    await lending
  }
  try {
    await Promise.race([first.promise, lending])
    return { length: range.end - range.start, lend, close }
  } catch (error) {
    await close()
    throw error
  }
}
