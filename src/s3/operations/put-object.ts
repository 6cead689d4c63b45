import { assertConditions } from '../../drives/write-conditions.ts'
import type { HttpReply } from '../../http/message.ts'
import { readPayload, requiredSize } from '../body/payload.ts'
import type { PayloadSink } from '../body/payload-writer.ts'
import { type NewObject, writeObject } from '../body/write-object.ts'
import { expectedDigests } from '../checksums/checksum-headers.ts'
import { checksumHeaders } from '../checksums/checksum-reply.ts'
import { quoteEtag } from '../checksums/etag.ts'
import { withRoom } from '../configuration/room.ts'
import type { ObjectContext } from '../context.ts'
import { expirationHeaders, expiringObject } from '../headers/expiration.ts'
import { attributesFromHeaders } from '../headers/object-headers.ts'
import { writeConditions } from '../headers/preconditions.ts'
import { refuseWhatCannotBeKept } from '../headers/unsupported-headers.ts'

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html */
export async function putObject(context: ObjectContext): Promise<HttpReply> {
  const { service, request } = context
  const size = requiredSize(request, service.compatibility)
  const pour = (sink: PayloadSink) => readPayload(request, sink, { size })
  return await storeObject(context, { size, pour })
}

/** Writes an object as the header fields of the request say. */
export async function storeObject(
  context: ObjectContext,
  { size, pour }: Pick<NewObject, 'size' | 'pour'>,
): Promise<HttpReply> {
  const { service, request, bucket, key } = context
  refuseWhatCannotBeKept(context)
  const sent = attributesFromHeaders(request.headers)
  const conditions = writeConditions(request.headers)
  if (conditions !== undefined) {
    // The drive checks again when it publishes; checking here avoids a useless upload of gigabytes.
    const current = await service.drive.head(bucket, key)
    assertConditions({ bucket, key }, current?.attributes.etag, conditions)
  }
  const object = await withRoom(context, size, async (counted) => {
    const written = await writeObject(context, {
      ...{
        size,
        sent,
        conditions,
        algorithm: expectedDigests(request.headers).checksum?.algorithm,
      },
      pour: (sink) => pour(counted(sink)),
    })
    service.usage.wrote(bucket, written.size)
    return written
  })
  const { attributes } = object
  return {
    status: 200,
    headers: [
      ['ETag', quoteEtag(attributes.etag)],
      ...checksumHeaders(attributes.checksum, 'object'),
      ...expirationHeaders(expiringObject(context), object),
    ],
  }
}
