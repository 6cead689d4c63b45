import type { HttpReply } from '../../../platform/http/message.ts'
import type { ObjectEntry } from '../../drives/listed-entry.ts'
import { parseCount } from '../address/query.ts'
import type { BucketContext } from '../context.ts'
import { invalidArgument } from '../errors.ts'
import { standardClass } from '../headers/object-headers.ts'
import { quoteEtag } from '../headers/preconditions.ts'
import {
  decodeContinuationToken,
  type EncodeKey,
  encodeContinuationToken,
  keyEncoding,
  type ListPage,
  type PageQuery,
  readPage,
} from '../listing.ts'
import {
  escapeXml,
  owner,
  type XmlChildren,
  XmlFragment,
  xmlReply,
  xmlTimestamp,
} from '../reply/xml.ts'

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjects.html */
export async function listObjects(context: BucketContext): Promise<HttpReply> {
  const marker = context.query.get('marker') ?? ''
  const { page, asked, encode } = await readListing(context, marker)
  // AWS sends NextMarker only with a delimiter; without one, the marker is the last key on the page.
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
  // A token continues where its page ended, regardless of start-after.
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

/** A page with the request parameters that the reply repeats. */
interface Listing {
  readonly page: ListPage
  readonly asked: PageQuery & { readonly encodingType: string | undefined }
  readonly encode: EncodeKey
}

/** Reads the parameters and the page that all listings of objects share. `after`: see readPage. */
async function readListing(context: BucketContext, after: string): Promise<Listing> {
  const { query, service, bucket } = context
  const encode = keyEncoding(query)
  const asked = {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    maxKeys: parseCount('max-keys', query.get('max-keys'), { min: 0, max: 1000 }),
    encodingType: query.get('encoding-type') || undefined,
    after,
  }
  const { prefix, delimiter } = asked
  const cursor = service.drive.list(bucket, {
    prefix,
    after,
    ...(delimiter === '/' ? { delimiter } : {}),
  })
  return { page: await readPage(cursor, asked), asked, encode }
}

function commonPrefixElements(page: ListPage, encode: EncodeKey): XmlChildren[] {
  return page.commonPrefixes.map((prefix) => ({ Prefix: encode(prefix) }))
}

interface ObjectElementOptions {
  readonly encode: EncodeKey
  readonly withOwner: boolean
}

const ownerElement = `<Owner><ID>${owner.ID}</ID><DisplayName>${owner.DisplayName}</DisplayName></Owner>`

/** The additional elements of a Version. Every object is the only version, as in an unversioned bucket. */
const versionElements = '<VersionId>null</VersionId><IsLatest>true</IsLatest>'

/**
 * Writes the objects of a page as XML. It does not use the general writer, which takes more than twice as long: with a
 * thousand objects, this is most of the cost of a page.
 */
function objectElements(
  element: 'Contents' | 'Version',
  objects: readonly ObjectEntry[],
  { encode, withOwner }: ObjectElementOptions,
): XmlFragment {
  const tail = `${withOwner ? ownerElement : ''}</${element}>`
  const version = element === 'Version' ? versionElements : ''
  let xml = ''
  for (const { key, modifiedAtMs, etag, size, storageClass = standardClass } of objects) {
    xml +=
      `<${element}><Key>${escapeXml(encode(key))}</Key>${version}` +
      `<LastModified>${xmlTimestamp(modifiedAtMs)}</LastModified>` +
      `<ETag>${escapeXml(quoteEtag(etag))}</ETag><Size>${size}</Size>` +
      `<StorageClass>${storageClass}</StorageClass>${tail}`
  }
  return new XmlFragment(xml)
}
