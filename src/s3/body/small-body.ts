import type { HttpRequest } from '../../http/message.ts'
import {
  checksumHeaderOf,
  type ExpectedDigests,
  expectedDigests,
} from '../checksums/checksum-headers.ts'
import { S3Error } from '../errors.ts'
import { declaredSize, pumpPayload } from './payload.ts'

export interface SmallBodyOptions {
  /**
   * Whether x-amz-checksum-* is of the object and not of this body, as with
   * CompleteMultipartUpload. Then only Content-MD5 is verified.
   */
  readonly isChecksumOfObject?: boolean
}

/**
 * Reads a body into memory, such as an XML document. A request without one has an empty one.
 *
 * @throws S3Error MaxMessageLengthExceeded above `maxBytes`; and as readPayload does.
 */
export async function readSmallBody(
  request: HttpRequest,
  maxBytes: number,
  options: SmallBodyOptions = {},
): Promise<Buffer> {
  const expected = expectedOf(request, options.isChecksumOfObject ?? false)
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

function expectedOf(request: HttpRequest, isChecksumOfObject: boolean): ExpectedDigests {
  if (!isChecksumOfObject) return expectedDigests(request.headers)
  checksumHeaderOf(request.headers)
  return expectedDigests({ 'content-md5': request.headers['content-md5'] })
}
