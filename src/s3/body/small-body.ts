import type { HttpRequest } from '../../http/message.ts'
import { expectedDigests } from '../checksums/checksum-headers.ts'
import { S3Error } from '../errors.ts'
import { declaredSize, pumpPayload } from './payload.ts'

/**
 * Reads a body into memory, such as an XML document. A missing body counts as empty.
 *
 * @throws S3Error MaxMessageLengthExceeded above `maxBytes`; and as readPayload does.
 */
export async function readSmallBody(
  request: HttpRequest,
  maxBytes: number,
  expected = expectedDigests(request.headers),
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  if ((declaredSize(request) ?? 0) > maxBytes) throw new S3Error('MaxMessageLengthExceeded')
  const sink = {
    write: async (chunk: Uint8Array): Promise<void> => {
      size += chunk.length
      if (size > maxBytes) throw new S3Error('MaxMessageLengthExceeded')
      chunks.push(Buffer.from(chunk))
    },
  }
  await pumpPayload(request, sink, { expected })
  return Buffer.concat(chunks, size)
}
