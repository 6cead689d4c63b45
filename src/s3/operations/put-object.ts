import type { Draft } from '../../drives/drive.ts'
import { assertConditions } from '../../drives/write-conditions.ts'
import type { HttpReply } from '../../http/message.ts'
import { declaredSize, readPayload } from '../body/payload.ts'
import type { PayloadDigest } from '../body/payload-digester.ts'
import { checksumHeaders } from '../checksums/checksum-reply.ts'
import { quoteEtag } from '../checksums/etag.ts'
import { requireRoom } from '../configuration/room.ts'
import type { ObjectContext } from '../context.ts'
import { expirationHeaders, expiringObject } from '../headers/expiration.ts'
import { attributesFromHeaders } from '../headers/object-headers.ts'
import { writeConditions } from '../headers/preconditions.ts'
import { refuseWhatCannotBeKept } from '../headers/unsupported-headers.ts'

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html */
export async function putObject(context: ObjectContext): Promise<HttpReply> {
  const { service, request, configuration, bucket, key } = context
  const { drive } = service
  refuseWhatCannotBeKept(request.headers, configuration.isPublic)
  const sent = attributesFromHeaders(request.headers)
  const conditions = writeConditions(request.headers)
  if (conditions !== undefined) {
    // The drive checks again when it publishes; checking here avoids a useless upload of gigabytes.
    const current = await drive.head(bucket, key)
    assertConditions({ bucket, key }, current?.attributes.etag, conditions)
  }
  const size = declaredSize(request)
  await requireRoom(context, size ?? 0)
  const draft = await drive.draft(bucket, key, size === undefined ? {} : { size })
  const { md5Hex, checksum, size: received } = await readInto(draft, context)
  const attributes = { ...sent, etag: md5Hex, ...(checksum === undefined ? {} : { checksum }) }
  const { modifiedAtMs } = await draft.publish(attributes, conditions)
  service.usage.wrote(bucket, received)
  return {
    status: 200,
    headers: [
      ['ETag', quoteEtag(md5Hex)],
      ...checksumHeaders(checksum, 'object'),
      ...expirationHeaders(expiringObject(context), modifiedAtMs),
    ],
  }
}

async function readInto(draft: Draft, context: ObjectContext): Promise<PayloadDigest> {
  const { request } = context
  try {
    const digest = await readPayload(request, draft)
    // Only now is the size of a body known that did not declare it.
    if (declaredSize(request) === undefined) await requireRoom(context, digest.size)
    return digest
  } catch (error) {
    await draft.discard()
    throw error
  }
}
