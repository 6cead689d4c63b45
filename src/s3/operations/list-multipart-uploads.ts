import type { HttpReply } from '../../http/message.ts'
import { parseCount } from '../address/count-parameter.ts'
import type { BucketContext } from '../context.ts'
import { keyEncoding } from '../listing/key-encoding.ts'
import { xmlReply } from '../reply/xml-reply.ts'

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListMultipartUploads.html
 * The list is always empty (docs/contract/object-storage.md, "ListMultipartUploads").
 */
export async function listMultipartUploads({ bucket, query }: BucketContext): Promise<HttpReply> {
  const encode = keyEncoding(query)
  const prefix = query.get('prefix')
  const delimiter = query.get('delimiter')
  return xmlReply('ListMultipartUploadsResult', {
    Bucket: bucket,
    KeyMarker: encode(query.get('key-marker') ?? ''),
    UploadIdMarker: query.get('upload-id-marker') ?? '',
    NextKeyMarker: '',
    NextUploadIdMarker: '',
    Prefix: prefix === undefined ? undefined : encode(prefix),
    Delimiter: delimiter ? encode(delimiter) : undefined,
    EncodingType: query.get('encoding-type') || undefined,
    MaxUploads: parseCount('max-uploads', query.get('max-uploads'), { min: 1, max: 1000 }),
    IsTruncated: false,
  })
}
