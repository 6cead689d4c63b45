import type { HttpReply } from '../../../platform/http/message.ts'
import { readPayload, requiredSize } from '../body/payload.ts'
import { checksumHeaders } from '../checksums/checksum-reply.ts'
import { quoteEtag } from '../checksums/etag.ts'
import { withRoomForPart } from '../configuration/room.ts'
import type { ObjectContext } from '../context.ts'
import { refuseWhatCannotBeKept } from '../headers/unsupported-headers.ts'
import { partNumberOf, uploadNameOf } from '../multipart/part-request.ts'

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPart.html. Unlike AWS, parts come in
 * order (docs/contract/object-storage.md, "Part order"): the body is not read, and `100 Continue`
 * not sent, before it is the part's turn or there is memory to hold it until then. Uploads in any order
 * (compatibility.ts, `unorderedParts`) have no turns.
 */
export async function uploadPart(context: ObjectContext): Promise<HttpReply> {
  const { service, request } = context
  const number = partNumberOf(context)
  refuseWhatCannotBeKept(context)
  const size = requiredSize(request, service.compatibility)
  const name = uploadNameOf(context)
  const added = { uploadId: name.uploadId, number, size }
  const part = await withRoomForPart(context, added, (counted) =>
    service.uploads.writePart(name, number, {
      size,
      signal: request.signal,
      pour: (sink, algorithm) => readPayload(request, counted(sink), { size, algorithm }),
    }),
  )
  return {
    status: 200,
    headers: [['ETag', quoteEtag(part.etag)], ...checksumHeaders(part.checksum, 'part')],
  }
}
