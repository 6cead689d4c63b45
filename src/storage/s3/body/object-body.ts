import type { HttpRequest, StreamBody } from '../../../platform/http/message.ts'
import type { Borrow, OpenObject } from '../../drives/drive.ts'
import { lendRange } from '../../drives/lend-range.ts'
import type { ObjectRange } from '../headers/range.ts'

/** A range of at most this length is read as a whole before the reply begins. */
const bufferedBytes = 64 * 1024

/**
 * The bytes of an open object as the body of a reply. Takes ownership of the object and closes it after the bytes are
 * read, if reading fails, and if the client disconnects, even before the first byte.
 */
export async function objectBody(
  object: OpenObject,
  range: ObjectRange,
  request: Pick<HttpRequest, 'signal'>,
): Promise<Uint8Array | StreamBody> {
  // Small reads do not use the signal, because its getter creates it.
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

/**
 * Reads the first chunk before the reply begins, so an early failure gets an error reply. The order of events:
 *
 * 1. `lendRange` reads the first chunk. Its callback resolves `isRead` and waits for `borrower`.
 * 2. This function returns the body, and the writer sends the head of the reply.
 * 3. The writer calls `lend`, which resolves `borrower`: the first chunk is borrowed, then all others as they are read.
 * 4. The writer calls `close`, in any case. A client that disconnects before step 3 causes the same.
 *
 * If reading fails in step 1, `lending` rejects first, so this function closes the object and throws.
 */
async function streamBody(
  object: OpenObject,
  range: ObjectRange,
  signal: AbortSignal,
): Promise<StreamBody> {
  const isRead = Promise.withResolvers<void>()
  const borrower = Promise.withResolvers<Borrow>()
  // Nothing awaits it if `close` rejects it before the first chunk is read.
  borrower.promise.catch(() => undefined)
  const lending = lendRange(object, range, async (chunk) => {
    isRead.resolve()
    const borrow = await borrower.promise
    await borrow(chunk)
  })
  const close = async (): Promise<void> => {
    signal.removeEventListener('abort', onAbort)
    borrower.reject(new Error('the response body was closed'))
    await object.close()
    // `lend` has reported the failure, or nothing waits for the bytes.
    await lending.catch(() => undefined)
  }
  const onAbort = (): void => {
    // The client has disconnected, so a failure cannot be reported.
    close().catch(() => undefined)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  const lend = async (borrow: Borrow): Promise<void> => {
    borrower.resolve(borrow)
    await lending
  }
  try {
    await Promise.race([isRead.promise, lending])
    return { length: range.end - range.start, lend, close }
  } catch (error) {
    await close()
    throw error
  }
}
