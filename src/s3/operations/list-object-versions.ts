import type { HttpReply } from '../../http/message.ts'
import type { BucketContext } from '../context.ts'
import { invalidArgument } from '../errors.ts'
import { commonPrefixElements, readListing } from '../listing/listing.ts'
import { objectElements } from '../listing/object-elements.ts'
import { xmlReply } from '../reply/xml-reply.ts'

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html. Replies as for a
 * bucket that never had versioning: every object has one version, `null`.
 */
export async function listObjectVersions(context: BucketContext): Promise<HttpReply> {
  const { query, bucket } = context
  const keyMarker = query.get('key-marker') ?? ''
  const versionIdMarker = query.get('version-id-marker') ?? ''
  if (versionIdMarker !== '' && keyMarker === '') {
    throw invalidArgument(
      'version-id-marker',
      versionIdMarker,
      'A version-id marker cannot be specified without a key marker.',
    )
  }
  const { page, asked, encode } = await readListing(context, keyMarker)
  const endsInObject = page.objects.at(-1)?.key === page.last
  return xmlReply('ListVersionsResult', {
    Name: bucket,
    Prefix: encode(asked.prefix),
    KeyMarker: encode(keyMarker),
    VersionIdMarker: versionIdMarker,
    NextKeyMarker: page.isTruncated ? encode(page.last) : undefined,
    NextVersionIdMarker: page.isTruncated && endsInObject ? 'null' : undefined,
    MaxKeys: asked.maxKeys,
    Delimiter: asked.delimiter === '' ? undefined : encode(asked.delimiter),
    EncodingType: asked.encodingType,
    IsTruncated: page.isTruncated,
    Version: objectElements('Version', page.objects, { encode, withOwner: true }),
    CommonPrefixes: commonPrefixElements(page, encode),
  })
}
