import type { HttpRequest } from '../../../platform/http/message.ts'
import type { ExpectedDigests } from '../checksums/checksum-headers.ts'
import { S3Error } from '../errors.ts'
import { declaredSize, readPayload } from './payload.ts'

/**
 * Reads a body into memory, such as an XML document. A missing body counts as empty.
 *
 * @param expected the digests to verify. Default: those in the headers.
 * @throws S3Error MaxMessageLengthExceeded above `maxBytes`; and as readPayload does.
 */
export async function readSmallBody(
  request: HttpRequest,
  maxBytes: number,
  expected?: ExpectedDigests,
): Promise<Buffer> {
  const size = declaredSize(request)
  if ((size ?? 0) > maxBytes) throw new S3Error('MaxMessageLengthExceeded')
  const chunks: Buffer[] = []
  let taken = 0
  const sink = {
    write: async (chunk: Uint8Array): Promise<void> => {
      taken += chunk.length
      if (taken > maxBytes) throw new S3Error('MaxMessageLengthExceeded')
      chunks.push(Buffer.from(chunk))
    },
  }
  await readPayload(request, sink, expected === undefined ? { size } : { size, expected })
  return Buffer.concat(chunks, taken)
}
