import type { StoredChecksum } from '../../drives/attributes.ts'
import type { HeaderFields, HttpReply, HttpRequest } from '../../http/message.ts'
import { readSmallBody } from '../body/small-body.ts'
import { maxXmlBodyBytes } from '../body/xml-body.ts'
import { checksumHeaderOf, expectedDigests } from '../checksums/checksum-headers.ts'
import { checksumElements } from '../checksums/checksum-reply.ts'
import { quoteEtag } from '../checksums/etag.ts'
import { requireRoomToComplete } from '../configuration/room.ts'
import type { ObjectContext } from '../context.ts'
import { S3Error } from '../errors.ts'
import { expirationHeaders, expiringObject } from '../headers/expiration.ts'
import { writeConditions } from '../headers/preconditions.ts'
import { parseCompletionBody } from '../multipart/completion-body.ts'
import { uploadNameOf } from '../multipart/part-request.ts'
import { xmlReply } from '../reply/xml-reply.ts'

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html */
export async function completeMultipartUpload(context: ObjectContext): Promise<HttpReply> {
  const { service, request, bucket, key } = context
  // A checksum header describes the object; only Content-MD5 describes this body.
  const checksum = checksumHeaderOf(request.headers)
  const expected = expectedDigests({ 'content-md5': request.headers['content-md5'] })
  const body = await readSmallBody(request, maxXmlBodyBytes, expected)
  const parts = parseCompletionBody(body)
  const completion = { parts, checksum, ...completionHeaders(request) }
  const name = uploadNameOf(context)
  const isRepeated = await requireRoomToComplete(context, name.uploadId)
  const { attributes, size } = await service.uploads.complete(name, completion, request.signal)
  if (!isRepeated) {
    service.usage.addedParts(bucket, -size)
    service.usage.wrote(bucket, size)
  }
  const elements = {
    Location: locationOf(context),
    Bucket: bucket,
    Key: key,
    ETag: quoteEtag(attributes.etag),
    ...checksumElements(attributes.checksum, 'object'),
  }
  const reply = xmlReply('CompleteMultipartUploadResult', elements)
  const expiration = await expirationOf(context, attributes.etag)
  return { ...reply, headers: [...reply.headers, ...expiration] }
}

/** Costs nothing in a bucket without lifecycle rules. Empty if the object is already another one, or unreadable. */
async function expirationOf(context: ObjectContext, etag: string): Promise<HeaderFields> {
  const expiring = expiringObject(context)
  if (expiring === undefined) return []
  const { drive } = context.service
  const object = await drive.head(context.bucket, context.key).catch(() => undefined)
  return object?.attributes.etag === etag ? expirationHeaders(expiring, object.modifiedAtMs) : []
}

function completionHeaders({ headers }: HttpRequest) {
  return {
    checksumType: checksumTypeOf(headers['x-amz-checksum-type']),
    objectSize: objectSizeOf(headers['x-amz-mp-object-size']),
    conditions: writeConditions(headers),
  }
}

function checksumTypeOf(header: string | string[] | undefined): StoredChecksum['type'] | undefined {
  if (header === undefined || header === 'COMPOSITE' || header === 'FULL_OBJECT') return header
  throw new S3Error('InvalidRequest', 'Value for x-amz-checksum-type header is invalid.')
}

function objectSizeOf(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,15}$/.test(String(header))) return Number(header)
  throw new S3Error('InvalidRequest', 'Value for x-amz-mp-object-size header is invalid.')
}

/**
 * PUBLIC_URL or the request's scheme and host, and the path
 * (docs/contract/object-storage.md, "Complete").
 */
function locationOf({ request, service }: ObjectContext): string {
  const scheme = request.isSecure ? 'https' : 'http'
  const origin = service.settings.publicUrl ?? `${scheme}://${request.headers.host ?? ''}`
  return origin + request.rawPath
}
