import type { HttpReply, HttpRequest } from '../../../platform/http/message.ts'
import type { Attributes } from '../../drives/attributes.ts'
import type { ObjectMetadata } from '../../drives/drive.ts'
import { parseCount } from '../address/query.ts'
import type { ObjectContext } from '../context.ts'
import { invalidArgument } from '../errors.ts'
import { checksumElements } from '../headers/checksum-headers.ts'
import { formatHttpDate } from '../headers/dates.ts'
import { storageClassOf } from '../headers/object-headers.ts'
import { countParts, partChecksum, partRange } from '../headers/range.ts'
import { maxPartNumber } from '../multipart/part-request.ts'
import { type XmlChildren, xmlReply } from '../reply/xml.ts'
import { requireReadable, versionFields } from '../versions.ts'

/** The requested page of parts. */
interface PartsQuery {
  readonly maxParts: number
  /** Only parts after this number. */
  readonly marker: number
}

/** x-amz-object-attributes → the element it stands for, in the order of the reply. */
const attributeElements: Readonly<
  Record<string, (metadata: ObjectMetadata, parts: PartsQuery) => XmlChildren>
> = {
  // Without quotes, unlike everywhere else in S3 (API reference, the example response).
  ETag: ({ attributes }) => ({ ETag: attributes.etag }),
  Checksum: ({ attributes: { checksum } }) => ({
    Checksum: checksum && checksumElements(checksum, 'object'),
  }),
  ObjectParts: ({ attributes }, parts) => ({ ObjectParts: partsOf(attributes, parts) }),
  StorageClass: ({ attributes }) => ({ StorageClass: storageClassOf(attributes) }),
  ObjectSize: ({ size }) => ({ ObjectSize: size }),
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAttributes.html */
export async function getObjectAttributes(context: ObjectContext): Promise<HttpReply> {
  const { request } = context
  const wanted = wantedAttributes(request)
  const parts = partsQuery(request)
  const metadata = await requireReadable(context, 's3:GetObject')
  let content: XmlChildren = {}
  for (const name in attributeElements) {
    const element = attributeElements[name]
    if (element !== undefined && wanted.has(name))
      content = { ...content, ...element(metadata, parts) }
  }
  return xmlReply('GetObjectAttributesResponse', content, [
    ['Last-Modified', formatHttpDate(metadata.modifiedAtMs)],
    ...versionFields(metadata),
  ])
}

function wantedAttributes({ headers }: HttpRequest): ReadonlySet<string> {
  const field = String(headers['x-amz-object-attributes'] ?? '')
  const names = field.split(',').map((name) => name.trim())
  for (const name of names) {
    if (Object.hasOwn(attributeElements, name)) continue
    const known = Object.keys(attributeElements).join(', ')
    throw invalidArgument(
      'x-amz-object-attributes',
      name,
      `The x-amz-object-attributes header must list one or more of ${known}.`,
    )
  }
  return new Set(names)
}

function partsQuery({ headers }: HttpRequest): PartsQuery {
  const count = (name: string) => headers[name]?.toString()
  const maxParts = 'x-amz-max-parts'
  const marker = 'x-amz-part-number-marker'
  return {
    // AWS ignores a value that is not a number.
    maxParts: parseCount(maxParts, /^-?\d+$/.exec(count(maxParts) ?? '')?.[0], {
      min: 0,
      max: 1000,
    }),
    marker: parseCount(marker, count(marker) ?? '0', { min: 0, max: maxPartNumber }),
  }
}

/** Absent for an object that was not uploaded in parts. */
function partsOf(
  attributes: Attributes,
  { maxParts, marker }: PartsQuery,
): XmlChildren | undefined {
  const { partSizes } = attributes
  if (partSizes === undefined) return undefined
  const total = countParts(partSizes)
  const last = Math.min(marker + maxParts, total)
  const parts: XmlChildren[] = []
  for (let partNumber = marker + 1; partNumber <= last; partNumber++) {
    const { start, end } = partRange(partSizes, partNumber) ?? { start: 0, end: 0 }
    const checksum = checksumElements(partChecksum(attributes, partNumber), 'part')
    parts.push({ PartNumber: partNumber, Size: end - start, ...checksum })
  }
  return {
    // The element is PartsCount, although SDKs call it TotalPartsCount.
    PartsCount: total,
    PartNumberMarker: marker,
    NextPartNumberMarker: Math.max(marker, last),
    MaxParts: maxParts,
    IsTruncated: maxParts > 0 && last < total,
    Part: parts,
  }
}
