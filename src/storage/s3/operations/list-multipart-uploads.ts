import type { HttpReply } from '../../../platform/http/message.ts'
import { isAuthorized } from '../../access/authorize.ts'
import { leastOnPage, parseCount } from '../address/count-parameter.ts'
import type { BucketContext } from '../context.ts'
import { storageClassOf } from '../headers/storage-class.ts'
import { type EncodeKey, keyEncoding } from '../listing/key-encoding.ts'
import { type ListPage, readPage } from '../listing/list-page.ts'
import type { ListedUpload } from '../multipart/upload-cursor.ts'
import type { XmlChildren } from '../reply/xml.ts'
import { owner, xmlReply, xmlTimestamp } from '../reply/xml-reply.ts'

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

/** Who may list a public bucket only because it is public does not learn of what is not published yet. */
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
