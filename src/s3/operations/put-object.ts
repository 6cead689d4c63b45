import type { Draft } from '../../drives/drive.ts'
import { assertConditions } from '../../drives/write-conditions.ts'
import type { HttpReply } from '../../http/message.ts'
import { declaredSize, readPayload } from '../body/payload.ts'
import type { PayloadDigest } from '../body/payload-digester.ts'
import { checksumHeaders } from '../checksums/checksum-reply.ts'
import { quoteEtag } from '../checksums/etag.ts'
import { type Counted, withRoom } from '../configuration/room.ts'
import type { ObjectContext } from '../context.ts'
import { expirationHeaders, expiringObject } from '../headers/expiration.ts'
import { attributesFromHeaders } from '../headers/object-headers.ts'
import { writeConditions } from '../headers/preconditions.ts'
import { refuseWhatCannotBeKept } from '../headers/unsupported-headers.ts'

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html */
export async function putObject(context: ObjectContext): Promise<HttpReply> {
  const { service, request, configuration, bucket, key } = context
  refuseWhatCannotBeKept(request.headers, configuration.isPublic)
  const sent = attributesFromHeaders(request.headers)
  const conditions = writeConditions(request.headers)
  if (conditions !== undefined) {
    // The drive checks again when it publishes; checking here avoids a useless upload of gigabytes.
    const current = await service.drive.head(bucket, key)
    assertConditions({ bucket, key }, current?.attributes.etag, conditions)
  }
  const size = declaredSize(request)
  const { digest, modifiedAtMs } = await withRoom(context, size, async (counted) => {
    const draft = await service.drive.draft(bucket, key, size === undefined ? {} : { size })
    const digest = await readInto(draft, context, counted)
    const { md5Hex: etag, checksum } = digest
    const attributes = { ...sent, etag, ...(checksum === undefined ? {} : { checksum }) }
    const { modifiedAtMs } = await draft.publish(attributes, conditions)
    service.usage.wrote(bucket, digest.size)
    return { digest, modifiedAtMs }
  })
  return {
    status: 200,
    headers: [
      ['ETag', quoteEtag(digest.md5Hex)],
      ...checksumHeaders(digest.checksum, 'object'),
      ...expirationHeaders(expiringObject(context), modifiedAtMs),
    ],
  }
}

async function readInto(
  draft: Draft,
  { request }: ObjectContext,
  counted: Counted,
): Promise<PayloadDigest> {
  try {
    return await readPayload(request, counted(draft))
  } catch (error) {
    await draft.discard()
    throw error
  }
}
