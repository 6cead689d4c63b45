import type { HttpReply } from '../../http/message.ts'
import { checksumElements } from '../checksum-reply.ts'
import type { ObjectContext } from '../context.ts'
import { parseCount } from '../count-parameter.ts'
import { S3Error } from '../errors.ts'
import { quoteEtag } from '../etag.ts'
import { keyEncoding } from '../listing/key-encoding.ts'
import { uploadNameOf } from '../multipart/part-request.ts'
import type { UploadedPart } from '../multipart/upload-records.ts'
import { owner } from '../owner.ts'
import { xmlTimestamp } from '../timestamp.ts'
import type { XmlChildren } from '../xml.ts'
import { xmlReply } from '../xml-reply.ts'

/** Contract, Limits: max-parts 1 to 1000, part-number-marker from 0. */
const maxParts = { min: 1, max: 1_000 }

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListParts.html */
export async function listParts(context: ObjectContext): Promise<HttpReply> {
  const { service, query, bucket, key } = context
  const name = uploadNameOf(context)
  const encode = keyEncoding(query)
  const after = markerOf(query.get('part-number-marker'))
  const limit = parseCount('max-parts', query.get('max-parts'), maxParts)
  const { parts, isTruncated, details } = await service.uploads.listParts(name, { after, limit })
  return xmlReply('ListPartsResult', {
    Bucket: bucket,
    Key: encode(key),
    UploadId: name.uploadId,
    Initiator: owner,
    Owner: owner,
    StorageClass: 'STANDARD',
    PartNumberMarker: after,
    // On every page: the last part number on it, else the marker (decisions, "ListParts").
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

function markerOf(text: string | undefined): number {
  if (text === undefined) return 0
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new S3Error('InvalidArgument', 'part-number-marker must be an integer of at least 0.', {
    elements: { ArgumentName: 'part-number-marker', ArgumentValue: text },
  })
}
