import { checksumAlgorithms } from '../../../platform/checksums/checksum.ts'
import type { HeaderFields, HttpReply } from '../../../platform/http/message.ts'
import type { StoredChecksum } from '../../drives/attributes.ts'
import { locationOf } from '../address/address.ts'
import {
  childText,
  maxXmlBodyBytes,
  parseXmlBody,
  readSmallBody,
  type XmlElement,
} from '../body/xml-body.ts'
import { assertQuotaForComplete } from '../configuration/quota.ts'
import type { ObjectContext } from '../context.ts'
import { S3Error } from '../errors.ts'
import {
  checksumElements,
  checksumHeaderOf,
  expectedDigests,
  type SentChecksum,
} from '../headers/checksum-headers.ts'
import { defaultRetention } from '../headers/lock-headers.ts'
import { quoteEtag, unquoteEtag } from '../headers/preconditions.ts'
import type { ListedPart } from '../multipart/completion.ts'
import { maxPartNumber, readPartNumber, uploadNameOf } from '../multipart/part-request.ts'
import { expirationHeaders, expiringObject } from '../reply/object-reply.ts'
import { xmlReply } from '../reply/xml.ts'
import { versionFields } from '../versions.ts'
import { conditionsOf } from '../write-once.ts'

const bytesPerMib = 1024 * 1024
/** A Part has a number, an ETag in two `&quot;` and a checksum. A namespace may be declared in each element. */
const bounds = { nodes: 8 * maxPartNumber, references: 4 * maxPartNumber }

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html */
export async function completeMultipartUpload(context: ObjectContext): Promise<HttpReply> {
  const { service, request, bucket, key } = context
  const name = uploadNameOf(context)
  // Checked first, so that no megabytes are read and parsed for an upload that does not exist.
  await service.uploads.require(name)
  // A checksum header describes the object; only Content-MD5 describes this body.
  const checksum = checksumHeaderOf(request.headers)
  const expected = expectedDigests({ 'content-md5': request.headers['content-md5'] })
  const body = await readSmallBody(request, maxXmlBodyBytes, expected)
  const parts = parseCompletionBody(body)
  const minPartBytes = service.settings.minPartMib * bytesPerMib
  const completion = {
    ...{ parts, checksum, minPartBytes, ...completionHeaders(context) },
    ...(await defaultRetention(context)),
  }
  const uploaded = await assertQuotaForComplete(context, name.uploadId)
  const completed = await service.uploads.complete(name, completion, request.signal)
  const { attributes, size } = completed
  if (uploaded !== undefined) {
    service.usage.addedParts(bucket, -(uploaded.bytes ?? size))
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
  return { ...reply, headers: [...reply.headers, ...versionFields(completed), ...expiration] }
}

/** Reads the object only if the bucket has lifecycle rules. Empty if it has been replaced or cannot be read. */
async function expirationOf(context: ObjectContext, etag: string): Promise<HeaderFields> {
  const expiring = expiringObject(context)
  if (expiring === undefined) return []
  const { drive } = context.service
  const finding = Promise.resolve(drive.head(context.bucket, context.key))
  const object = await finding.catch(() => undefined)
  return object?.attributes.etag === etag ? expirationHeaders(expiring, object) : []
}

function completionHeaders(context: ObjectContext) {
  const { headers } = context.request
  return {
    checksumType: checksumTypeOf(headers['x-amz-checksum-type']),
    objectSize: objectSizeOf(headers['x-amz-mp-object-size']),
    conditions: conditionsOf(context),
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
 * The parts that the body of a CompleteMultipartUpload lists, in its order.
 *
 * @throws S3Error InvalidArgument for a malformed or empty body, where AWS has MalformedXML
 *   (docs/contract/object-storage.md, "Complete").
 */
function parseCompletionBody(body: Uint8Array): ListedPart[] {
  try {
    return parseParts(parseXmlBody(body, 'CompleteMultipartUpload', bounds))
  } catch (cause) {
    if (!(cause instanceof S3Error && cause.code === 'MalformedXML')) throw cause
    throw new S3Error('InvalidArgument', cause.message, { cause, inAws: { code: cause.code } })
  }
}

function parseParts(document: XmlElement): ListedPart[] {
  const elements = document.children.filter(({ name }) => name === 'Part')
  if (elements.length === 0 || elements.length > maxPartNumber) {
    throw new S3Error(
      'InvalidArgument',
      `CompleteMultipartUpload must list 1 to ${maxPartNumber} parts, got ${elements.length}.`,
      { inAws: { code: 'MalformedXML' } },
    )
  }
  return elements.map(parsePart)
}

function parsePart(element: XmlElement): ListedPart {
  const number = readPartNumber('PartNumber', textOf(element, 'PartNumber'))
  const etag = unquoteEtag(textOf(element, 'ETag')).toLowerCase()
  return { number, etag, checksums: checksumsOf(element) }
}

function textOf(element: XmlElement, name: string): string {
  const text = childText(element, name)?.trim() ?? ''
  if (text !== '') return text
  throw new S3Error('InvalidArgument', `A Part of CompleteMultipartUpload is missing ${name}.`, {
    inAws: { code: 'MalformedXML' },
  })
}

function checksumsOf(element: XmlElement): SentChecksum[] {
  const checksums: SentChecksum[] = []
  for (const algorithm of checksumAlgorithms) {
    const value = childText(element, `Checksum${algorithm}`)?.trim() ?? ''
    if (value !== '') checksums.push({ algorithm, value })
  }
  return checksums
}
