import type { IncomingHttpHeaders } from 'node:http'
import {
  type Attributes,
  type KeptHeader,
  keptHeaders,
  type WriterAttributes,
} from '../../drives/attributes.ts'
import { parseTaggingHeader } from '../configuration/tagging-document.ts'
import { invalidArgument, S3Error } from '../errors.ts'

/** The attributes of an object that its writer sends as header fields. */
export type SentAttributes = WriterAttributes

const metadataPrefix = 'x-amz-meta-'

/** User metadata, names and values together (User Guide, "Working with object metadata"). */
const maxMetadataBytes = 2048

/**
 * The attributes sent with PutObject or CreateMultipartUpload.
 *
 * @throws S3Error MetadataTooLarge over 2 KB of user metadata; as parseTaggingHeader; InvalidStorageClass
 */
export function attributesFromHeaders(headers: IncomingHttpHeaders): SentAttributes {
  return {
    ...metadataFields(headers),
    ...tagsFromHeaders(headers),
    ...storageClassFromHeaders(headers),
  }
}

/**
 * The attributes of a copy (API reference, CopyObject). The directives decide whether metadata and tags are those of the
 * source; the storage class never is.
 *
 * @throws S3Error InvalidArgument for an unknown directive; as attributesFromHeaders
 */
export function attributesOfCopy(
  headers: IncomingHttpHeaders,
): (source: SentAttributes) => SentAttributes {
  const sent = isReplaced(headers, 'x-amz-metadata-directive') && metadataFields(headers)
  const tags = isReplaced(headers, 'x-amz-tagging-directive') && tagsFromHeaders(headers)
  const storageClass = storageClassFromHeaders(headers)
  return (source) => {
    const { headers, metadata } = sent || source
    return { headers, metadata, ...(tags || tagsOf(source)), ...storageClass }
  }
}

/** Selects what the writer has sent from the attributes of an object or upload. */
export function sentAttributes(attributes: SentAttributes): SentAttributes {
  const { headers, metadata, isPrivate, storageClass, retention, legalHold } = attributes
  return {
    ...{ headers, metadata, ...tagsOf(attributes), ...(storageClass && { storageClass }) },
    ...(isPrivate && { isPrivate }),
    ...(retention && { retention }),
    ...(legalHold !== undefined && { legalHold }),
  }
}

/** Whether the directive is REPLACE. @throws S3Error InvalidArgument */
export function isReplaced(
  headers: IncomingHttpHeaders,
  directive: 'x-amz-metadata-directive' | 'x-amz-tagging-directive',
): boolean {
  const value = headers[directive] ?? 'COPY'
  if (value === 'COPY' || value === 'REPLACE') return value === 'REPLACE'
  const what = directive === 'x-amz-tagging-directive' ? 'tagging' : 'metadata'
  throw invalidArgument(directive, String(value), `Unknown ${what} directive.`)
}

function tagsFromHeaders(headers: IncomingHttpHeaders): Pick<Attributes, 'tags'> {
  const field = headers['x-amz-tagging']
  return field === undefined ? {} : tagsOf({ tags: parseTaggingHeader(String(field)) })
}

function tagsOf({ tags = {} }: Pick<Attributes, 'tags'>): Pick<Attributes, 'tags'> {
  return Object.keys(tags).length === 0 ? {} : { tags }
}

function metadataFields(headers: IncomingHttpHeaders): SentAttributes {
  return { headers: headersToKeep(headers), metadata: metadataFromHeaders(headers) }
}

function headersToKeep(headers: IncomingHttpHeaders): Attributes['headers'] {
  const kept: Partial<Record<KeptHeader, string>> = {}
  for (const name of keptHeaders) {
    const value = name === 'content-encoding' ? contentEncodingToKeep(headers[name]) : headers[name]
    if (value !== undefined) kept[name] = value
  }
  return kept
}

/**
 * The content coding without `aws-chunked`, which describes only the transfer (API reference, "Signature Calculations:
 * Transferring Payload in Multiple Chunks").
 */
export function contentEncodingToKeep(field: string | undefined): string | undefined {
  if (field === undefined || !/aws-chunked/i.test(field)) return field
  const codings = field.split(',').map((coding) => coding.trim())
  const kept = codings.filter((coding) => coding !== '' && coding.toLowerCase() !== 'aws-chunked')
  return kept.length === 0 ? undefined : kept.join(',')
}

function metadataFromHeaders(headers: IncomingHttpHeaders): Attributes['metadata'] {
  const entries: [string, string][] = []
  let bytes = 0
  for (const header in headers) {
    if (!header.startsWith(metadataPrefix)) continue
    const name = header.slice(metadataPrefix.length)
    const value = String(headers[header])
    // In latin1, a character is a byte.
    bytes += name.length + value.length
    entries.push([name, value])
  }
  if (bytes > maxMetadataBytes) {
    throw new S3Error('MetadataTooLarge', undefined, {
      elements: { Size: String(bytes), MaxSizeAllowed: String(maxMetadataBytes) },
    })
  }
  // Not by assignment, which would set the prototype for `x-amz-meta-__proto__`.
  return Object.fromEntries(entries)
}

/** The class of an object without a stored class. */
export const standardClass = 'STANDARD'

/** The classes of a general purpose bucket (User Guide, "Understanding and managing Amazon S3 storage classes"). */
const classes: ReadonlySet<string> = new Set([
  standardClass,
  'REDUCED_REDUNDANCY',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'GLACIER_IR',
  'GLACIER',
  'DEEP_ARCHIVE',
])

/**
 * The storage class that a write requests. It is only a name, without effect on where the bytes are stored.
 *
 * @throws S3Error InvalidStorageClass
 */
function storageClassFromHeaders(headers: IncomingHttpHeaders): Pick<Attributes, 'storageClass'> {
  const name = headers['x-amz-storage-class']
  if (name === undefined || name === standardClass) return {}
  if (typeof name !== 'string' || !classes.has(name)) throw new S3Error('InvalidStorageClass')
  return { storageClass: name }
}

/** The storage class that documents show. */
export function storageClassOf({
  storageClass = standardClass,
}: {
  storageClass?: string
}): string {
  return storageClass
}
