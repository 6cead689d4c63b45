import type { HttpReply } from '../../../platform/http/message.ts'
import type { ListQuery, ObjectEntry } from '../../drives/listed-entry.ts'
import { versionsOf } from '../../drives/unversioned.ts'
import { nullVersionId, type VersionEntry } from '../../drives/versions.ts'
import { parseCount } from '../address/query.ts'
import { hasVersions } from '../configuration/public-access.ts'
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
import { versionToUse } from '../versions.ts'

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjects.html */
export async function listObjects(context: BucketContext): Promise<HttpReply> {
  const marker = context.query.get('marker') ?? ''
  const listing = await readListing(context, marker)
  const { page, asked, encode } = listing
  // AWS sends NextMarker only with a delimiter; without one, the marker is the last key on the page.
  const hasNextMarker = page.isTruncated && asked.delimiter !== ''
  return listingReply('ListBucketResult', context, listing, {
    Marker: encode(marker),
    NextMarker: hasNextMarker ? encode(page.last) : undefined,
  })
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html */
export async function listObjectsV2(context: BucketContext): Promise<HttpReply> {
  const { query } = context
  const token = query.get('continuation-token')
  const startAfter = query.get('start-after')
  // A token continues where its page ended, regardless of start-after.
  const after = token ? decodeContinuationToken(token) : (startAfter ?? '')
  const listing = await readListing(context, after)
  const { page, encode } = listing
  const own = {
    StartAfter: startAfter === undefined ? undefined : encode(startAfter),
    ContinuationToken: token,
    NextContinuationToken: page.isTruncated ? encodeContinuationToken(page.last) : undefined,
    KeyCount: page.objects.length + page.commonPrefixes.length,
  }
  const withOwner = query.get('fetch-owner') === 'true'
  return listingReply('ListBucketResult', context, listing, own, withOwner)
}

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html. In a bucket that never had versions, every
 * object has one version, `null`.
 */
export async function listObjectVersions(context: BucketContext): Promise<HttpReply> {
  const { query, configuration } = context
  const keyMarker = query.get('key-marker') ?? ''
  const versionIdMarker = query.get('version-id-marker') ?? ''
  if (versionIdMarker !== '' && keyMarker === '') {
    throw invalidArgument(
      'version-id-marker',
      versionIdMarker,
      'A version-id marker cannot be specified without a key marker.',
    )
  }
  const marker = { key: keyMarker, versionId: versionIdMarker }
  const listing: Listing<ListedVersion> = hasVersions(configuration)
    ? await readVersions(context, marker)
    : await readListing(context, keyMarker)
  const { page, encode } = listing
  const last = page.objects.at(-1)
  const nextVersionId = last?.key === page.last ? (last.versionId ?? nullVersionId) : undefined
  return listingReply('ListVersionsResult', context, listing, {
    KeyMarker: encode(keyMarker),
    VersionIdMarker: versionIdMarker,
    NextKeyMarker: page.isTruncated ? encode(page.last) : undefined,
    NextVersionIdMarker: page.isTruncated ? nextVersionId : undefined,
  })
}

/** A version, or the object of a bucket that never had versions. */
type ListedVersion = ObjectEntry & Partial<Omit<VersionEntry, keyof ObjectEntry>>

/** A page with the request parameters that the reply repeats. */
interface Listing<Item extends ObjectEntry> {
  readonly page: ListPage<Item>
  readonly asked: PageQuery & { readonly encodingType: string | undefined }
  readonly encode: EncodeKey
}

/** Reads the page of objects. `after`: see readPage. */
async function readListing(context: BucketContext, after: string): Promise<Listing<ObjectEntry>> {
  const { service, bucket } = context
  const { asked, encode } = askedPage(context, after)
  const cursor = service.drive.list(bucket, driveQuery(asked))
  return { page: await readPage(cursor, asked), asked, encode }
}

/** Reads the page of versions after a marker: the older versions of its key, if it names one, then greater keys. */
async function readVersions(
  context: BucketContext,
  marker: { readonly key: string; readonly versionId: string },
): Promise<Listing<VersionEntry>> {
  const { service, bucket, configuration } = context
  const afterVersionId = versionToUse(
    service,
    configuration,
    marker.versionId === '' ? undefined : marker.versionId,
    { name: 'version-id-marker' },
  )
  const { asked, encode } = askedPage(context, marker.key)
  const cursor = versionsOf(service.drive, bucket, { ...driveQuery(asked), afterVersionId })
  return { page: await readPage(cursor, asked), asked, encode }
}

/** The parameters that all listings of objects share. */
function askedPage(
  { query }: BucketContext,
  after: string,
): Pick<Listing<ObjectEntry>, 'asked' | 'encode'> {
  const encode = keyEncoding(query)
  const asked = {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    maxKeys: parseCount('max-keys', query.get('max-keys'), { min: 0, max: 1000 }),
    encodingType: query.get('encoding-type') || undefined,
    after,
  }
  return { asked, encode }
}

function driveQuery({ prefix, delimiter, after }: PageQuery): ListQuery {
  return { prefix, after, ...(delimiter === '/' && { delimiter }) }
}

/** @param own the elements that only this listing has */
function listingReply(
  root: 'ListBucketResult' | 'ListVersionsResult',
  { bucket }: BucketContext,
  { page, asked, encode }: Listing<ListedVersion>,
  own: XmlChildren,
  withOwner = true,
): HttpReply {
  const element = root === 'ListBucketResult' ? 'Contents' : 'Version'
  return xmlReply(root, {
    Name: bucket,
    Prefix: encode(asked.prefix),
    ...own,
    MaxKeys: asked.maxKeys,
    Delimiter: asked.delimiter === '' ? undefined : encode(asked.delimiter),
    EncodingType: asked.encodingType,
    IsTruncated: page.isTruncated,
    [element]: objectElements(element, page.objects, { encode, withOwner }),
    CommonPrefixes: page.commonPrefixes.map((prefix) => ({ Prefix: encode(prefix) })),
  })
}

interface ObjectElementOptions {
  readonly encode: EncodeKey
  readonly withOwner: boolean
}

const ownerElement = `<Owner><ID>${owner.ID}</ID><DisplayName>${owner.DisplayName}</DisplayName></Owner>`

/** The elements of a Version or DeleteMarker after its key. */
function versionElements({ versionId = nullVersionId, isLatest = true }: ListedVersion): string {
  return `<VersionId>${escapeXml(versionId)}</VersionId><IsLatest>${isLatest}</IsLatest>`
}

/**
 * Writes the objects of a page as XML, delete markers among them. It does not use the general writer, which takes more
 * than twice as long: with a thousand objects, this is most of the cost of a page.
 */
function objectElements(
  element: 'Contents' | 'Version',
  objects: readonly ListedVersion[],
  { encode, withOwner }: ObjectElementOptions,
): XmlFragment {
  const ownerTail = withOwner ? ownerElement : ''
  let xml = ''
  for (const object of objects) {
    const { key, modifiedAtMs, etag, size, storageClass = standardClass } = object
    const name = object.isDeleteMarker ? 'DeleteMarker' : element
    const version = element === 'Version' ? versionElements(object) : ''
    xml +=
      `<${name}><Key>${escapeXml(encode(key))}</Key>${version}` +
      `<LastModified>${xmlTimestamp(modifiedAtMs)}</LastModified>`
    if (!object.isDeleteMarker) {
      xml +=
        `<ETag>${escapeXml(quoteEtag(etag))}</ETag><Size>${size}</Size>` +
        `<StorageClass>${storageClass}</StorageClass>`
    }
    xml += `${ownerTail}</${name}>`
  }
  return new XmlFragment(xml)
}
