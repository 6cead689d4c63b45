import type { HttpReply } from '../../../platform/http/message.ts'
import { isAuthorized } from '../../access/authorize.ts'
import { leastOnPage, parseCount, type Query } from '../address/query.ts'
import type { BucketContext, ObjectContext } from '../context.ts'
import { invalidArgument } from '../errors.ts'
import { checksumElements } from '../headers/checksum-headers.ts'
import { storageClassOf } from '../headers/object-headers.ts'
import { quoteEtag } from '../headers/preconditions.ts'
import { type EncodeKey, keyEncoding, type ListPage, readPage } from '../listing.ts'
import { uploadNameOf } from '../multipart/part-request.ts'
import type { UploadedPart } from '../multipart/upload-records.ts'
import type { ListedUpload } from '../multipart/uploads.ts'
import { owner, type XmlChildren, xmlReply, xmlTimestamp } from '../reply/xml.ts'

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListMultipartUploads.html. Unless COMPATIBILITY is aws, the list
 * is always empty (docs/contract/object-storage.md, "ListMultipartUploads").
 */
export async function listMultipartUploads(context: BucketContext): Promise<HttpReply> {
  const { bucket, query, service } = context
  const encode = keyEncoding(query)
  const prefix = query.get('prefix')
  const delimiter = query.get('delimiter') ?? ''
  const keyMarker = query.get('key-marker') ?? ''
  // AWS: without a key-marker, the upload-id-marker is ignored.
  const uploadIdMarker = keyMarker === '' ? '' : (query.get('upload-id-marker') ?? '')
  const min = leastOnPage(service)
  const maxUploads = parseCount('max-uploads', query.get('max-uploads'), { min, max: 1000 })
  const after = { key: keyMarker, uploadId: uploadIdMarker }
  const asked = { prefix: prefix ?? '', delimiter, after: keyMarker, maxKeys: maxUploads }
  const page = mayList(context, asked.prefix)
    ? await readPage(service.uploads.listByKey(bucket, { prefix: asked.prefix, after }), asked, '')
    : undefined
  return xmlReply('ListMultipartUploadsResult', {
    Bucket: bucket,
    KeyMarker: encode(keyMarker),
    UploadIdMarker: query.get('upload-id-marker') ?? '',
    ...nextMarkers(page, encode),
    Prefix: prefix === undefined ? undefined : encode(prefix),
    Delimiter: delimiter ? encode(delimiter) : undefined,
    EncodingType: query.get('encoding-type') || undefined,
    MaxUploads: maxUploads,
    IsTruncated: page?.isTruncated === true,
    Upload: page?.objects.map((upload) => uploadElement(upload, encode)),
    CommonPrefixes: page?.commonPrefixes.map((one) => ({ Prefix: encode(one) })),
  })
}

/** Those who may list a bucket only because it is public must not see what is not published yet. */
function mayList({ service, identity, bucket }: BucketContext, prefix: string): boolean {
  if (!service.compatibility.listedUploads) return false
  return isAuthorized(identity, { action: 'list', bucket, key: prefix, isPublic: false })
}

function nextMarkers(page: ListPage<ListedUpload> | undefined, encode: EncodeKey): XmlChildren {
  if (page?.isTruncated !== true) return { NextKeyMarker: '', NextUploadIdMarker: '' }
  const last = page.objects.at(-1)
  return {
    NextKeyMarker: encode(page.last),
    NextUploadIdMarker: last?.key === page.last ? last.uploadId : '',
  }
}

function uploadElement(upload: ListedUpload, encode: EncodeKey): XmlChildren {
  return {
    Key: encode(upload.key),
    UploadId: upload.uploadId,
    Initiator: owner,
    Owner: owner,
    StorageClass: storageClassOf(upload),
    Initiated: xmlTimestamp(upload.createdAtMs),
  }
}

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
  // Only AWS treats more than 1000 as 1000 (docs/contract/decisions.md, "Differences from AWS").
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
