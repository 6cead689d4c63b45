import type { HttpReply } from '../../../platform/http/message.ts'
import { leastOnPage, parseCount } from '../address/count-parameter.ts'
import type { Query } from '../address/query.ts'
import { checksumElements } from '../checksums/checksum-reply.ts'
import { quoteEtag } from '../checksums/etag.ts'
import type { ObjectContext } from '../context.ts'
import { invalidArgument } from '../errors.ts'
import { storageClassOf } from '../headers/storage-class.ts'
import { keyEncoding } from '../listing/key-encoding.ts'
import { uploadNameOf } from '../multipart/part-request.ts'
import type { UploadedPart } from '../multipart/upload-records.ts'
import type { XmlChildren } from '../reply/xml.ts'
import { owner, xmlReply, xmlTimestamp } from '../reply/xml-reply.ts'

// docs/contract/object-storage.md, "Limits".
const maxMarker = 2_147_483_647
const maxParts = 1_000

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListParts.html */
export async function listParts(context: ObjectContext): Promise<HttpReply> {
  const { service, request, query, bucket, key } = context
  const name = uploadNameOf(context)
  const encode = keyEncoding(query)
  const after = integerOf(query, 'part-number-marker', 0, maxMarker) ?? 0
  const limits = { min: leastOnPage(service), max: maxParts }
  // Only AWS takes more than 1000 for 1000 (docs/contract/decisions.md, "Differences from AWS").
  const limit = service.compatibility.pageMaximums
    ? parseCount('max-parts', query.get('max-parts'), limits)
    : (integerOf(query, 'max-parts', limits.min, maxParts) ?? maxParts)
  const { parts, isTruncated, details } = await service.uploads.listParts(
    name,
    { after, limit },
    request.signal,
  )
  return xmlReply('ListPartsResult', {
    Bucket: bucket,
    Key: encode(key),
    UploadId: name.uploadId,
    Initiator: owner,
    Owner: owner,
    StorageClass: storageClassOf(details),
    PartNumberMarker: after,
    // On every page (docs/contract/object-storage.md, "ListParts").
    NextPartNumberMarker: parts.at(-1)?.number ?? after,
    MaxParts: limit,
    EncodingType: query.get('encoding-type'),
    IsTruncated: isTruncated,
    ChecksumAlgorithm: details.checksum?.algorithm,
    ChecksumType: details.checksum?.type,
    Part: parts.map(partElement),
  })
}

function partElement(part: UploadedPart): XmlChildren {
  return {
    PartNumber: part.number,
    LastModified: xmlTimestamp(part.modifiedAtMs),
    ETag: quoteEtag(part.etag),
    Size: part.size,
    ...checksumElements(part.checksum, 'part'),
  }
}

/** @throws S3Error InvalidArgument for a value out of range */
function integerOf(query: Query, name: string, min: number, max: number): number | undefined {
  const text = query.get(name)
  if (text === undefined) return undefined
  const value = /^\d{1,10}$/.test(text) ? Number(text) : -1
  if (value >= min && value <= max) return value
  const message = `${name} must be an integer from ${min} to ${max}.`
  throw invalidArgument(name, text, message)
}
