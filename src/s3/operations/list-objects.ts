import type { HttpReply } from '../../http/message.ts'
import type { BucketContext } from '../context.ts'
import { decodeContinuationToken, encodeContinuationToken } from '../listing/continuation-token.ts'
import { commonPrefixElements, readListing } from '../listing/listing.ts'
import { objectElements } from '../listing/object-elements.ts'
import { xmlReply } from '../reply/xml-reply.ts'

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjects.html */
export async function listObjects(context: BucketContext): Promise<HttpReply> {
  const marker = context.query.get('marker') ?? ''
  const { page, asked, encode } = await readListing(context, marker)
  // AWS: NextMarker comes with a delimiter only; without one it is the last key on the page.
  const hasNextMarker = page.isTruncated && asked.delimiter !== ''
  return xmlReply('ListBucketResult', {
    Name: context.bucket,
    Prefix: encode(asked.prefix),
    Marker: encode(marker),
    NextMarker: hasNextMarker ? encode(page.last) : undefined,
    MaxKeys: asked.maxKeys,
    Delimiter: asked.delimiter === '' ? undefined : encode(asked.delimiter),
    EncodingType: asked.encodingType,
    IsTruncated: page.isTruncated,
    Contents: objectElements('Contents', page.objects, { encode, withOwner: true }),
    CommonPrefixes: commonPrefixElements(page, encode),
  })
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html */
export async function listObjectsV2(context: BucketContext): Promise<HttpReply> {
  const { query } = context
  const token = query.get('continuation-token')
  const startAfter = query.get('start-after')
  // A token continues where its page ended, whatever start-after says.
  const after = token ? decodeContinuationToken(token) : (startAfter ?? '')
  const { page, asked, encode } = await readListing(context, after)
  const withOwner = query.get('fetch-owner') === 'true'
  return xmlReply('ListBucketResult', {
    Name: context.bucket,
    Prefix: encode(asked.prefix),
    StartAfter: startAfter === undefined ? undefined : encode(startAfter),
    ContinuationToken: token,
    NextContinuationToken: page.isTruncated ? encodeContinuationToken(page.last) : undefined,
    KeyCount: page.objects.length + page.commonPrefixes.length,
    MaxKeys: asked.maxKeys,
    Delimiter: asked.delimiter === '' ? undefined : encode(asked.delimiter),
    EncodingType: asked.encodingType,
    IsTruncated: page.isTruncated,
    Contents: objectElements('Contents', page.objects, { encode, withOwner }),
    CommonPrefixes: commonPrefixElements(page, encode),
  })
}
