import { isUtf8 } from 'node:buffer'
import type { HeaderFields } from '../../../platform/http/message.ts'
import { type LifecycleRule, objectExpiry } from '../../buckets/lifecycle-rules.ts'
import type { Attributes, KeptHeader } from '../../drives/attributes.ts'
import type { ObjectMetadata } from '../../drives/drive.ts'
import type { Query } from '../address/query.ts'
import { concernsVersions } from '../configuration/public-access.ts'
import type { ObjectContext } from '../context.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import { formatHttpDate } from '../headers/dates.ts'
import { quoteEtag } from '../headers/preconditions.ts'
import { fieldValue } from '../headers/request-fields.ts'
import { versionFields } from '../versions.ts'

/** Header fields under construction. */
export type ReplyFields = (readonly [name: string, value: string])[]

/** The spelling of stored headers in replies, except Content-Type, which is always sent. */
const keptFields: readonly (readonly [KeptHeader, string])[] = [
  ['cache-control', 'Cache-Control'],
  ['content-disposition', 'Content-Disposition'],
  ['content-encoding', 'Content-Encoding'],
  ['content-language', 'Content-Language'],
  ['expires', 'Expires'],
]

/** S3's Content-Type for an object that was uploaded without one. */
const defaultContentType = 'binary/octet-stream'

/**
 * The fields of the last reply without overrides, for attributes that are read often. Caches of attributes count at most
 * 1.2 KB for them, so they are stored only if they are few and refer mostly to texts of the attributes.
 */
const maxWrittenFields = 10
const writtenFields = new WeakMap<
  Attributes,
  {
    readonly modifiedAtMs: number
    readonly versionId: string | undefined
    readonly fields: ReplyFields
  }
>()

/** The fields of a 200 or 206 for an object, without Content-Length. The caller may add to them. */
export function objectFields(
  object: ObjectMetadata,
  overrides: ResponseOverrides | undefined,
): ReplyFields {
  if (overrides !== undefined) return writeFields(object, overrides)
  const { attributes, modifiedAtMs, versionId } = object
  const written = writtenFields.get(attributes)
  if (written?.modifiedAtMs === modifiedAtMs && written.versionId === versionId)
    return written.fields.slice()
  const fields = writeFields(object, undefined)
  const isSmall =
    fields.length <= maxWrittenFields && !fields.some(([, value]) => value.startsWith('=?'))
  if (isSmall) writtenFields.set(attributes, { modifiedAtMs, versionId, fields })
  return fields.slice()
}

function writeFields(
  object: ObjectMetadata,
  overrides: ResponseOverrides | undefined,
): ReplyFields {
  const { headers, metadata, etag, storageClass } = object.attributes
  const contentType = overrides?.['content-type'] ?? headers['content-type'] ?? defaultContentType
  const fields: ReplyFields = [
    ['Last-Modified', formatHttpDate(object.modifiedAtMs)],
    ['ETag', quoteEtag(etag)],
    ['Accept-Ranges', 'bytes'],
    ['Content-Type', contentType],
    ['X-Content-Type-Options', 'nosniff'],
    ['Content-Security-Policy', contentSecurityPolicy(contentType)],
  ]
  for (const [header, name] of keptFields) {
    const value = overrides?.[header] ?? headers[header]
    if (value !== undefined) fields.push([name, value])
  }
  // Not for STANDARD (API reference, HeadObject, "x-amz-storage-class").
  if (storageClass !== undefined) fields.push(['x-amz-storage-class', storageClass])
  fields.push(...metadataFields(metadata), ...versionFields(object))
  return fields
}

/** Marks a reply with a provisional ETag and Content-Type and without other fields. */
const provisionalMark = ['x-bucketry-attributes', 'unavailable'] as const

/** The fields of a reply with provisional attributes, which no cache may store. */
export function provisionalFields(overrides: ResponseOverrides | undefined): ReplyFields {
  const isSet = overrides?.['cache-control'] !== undefined
  return isSet ? [provisionalMark] : [provisionalMark, ['Cache-Control', 'no-store']]
}

/** The fields of a 304, with which a cache updates its copy (RFC 9110 section 15.4.5). */
export function notModifiedFields(object: ObjectMetadata): ReplyFields {
  const { headers, etag } = object.attributes
  const lastModified = ['Last-Modified', formatHttpDate(object.modifiedAtMs)] as const
  // A cache would store a provisional ETag with its copy.
  if (object.attributes.isProvisional) return [lastModified, provisionalMark]
  const fields: ReplyFields = [lastModified, ['ETag', quoteEtag(etag)]]
  if (headers['cache-control'] !== undefined)
    fields.push(['Cache-Control', headers['cache-control']])
  if (headers.expires !== undefined) fields.push(['Expires', headers.expires])
  return fields
}

/**
 * Objects have the same origin as the dashboard, so an uploaded page must not be able to act as the dashboard. `sandbox`
 * gives every document a separate origin and disables scripts; the other directives disable loading from elsewhere. They
 * allow what viewers need for an image, video or audio file that is opened directly: a document with inline styles that
 * loads the object itself.
 */
const sandboxed =
  "sandbox; default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'"

/**
 * Chrome does not start its PDF viewer in a sandbox. A PDF needs none: scripts of the origin do not run in it, and nosniff
 * prevents another interpretation.
 */
const forPdf = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'"

/**
 * A comma is refused, because the last type of a list counts (Fetch standard, "extract a MIME type").
 */
const pdf = /^application\/pdf\s*(?:;[^,]*)?$/i

/** The Content-Security-Policy of an object of this content type. */
export function contentSecurityPolicy(contentType: string): string {
  return pdf.test(contentType) ? forPdf : sandboxed
}

/** The header field that each query parameter replaces (API reference, GetObject). */
const overrides = {
  'response-cache-control': 'cache-control',
  'response-content-disposition': 'content-disposition',
  'response-content-encoding': 'content-encoding',
  'response-content-language': 'content-language',
  'response-content-type': 'content-type',
  'response-expires': 'expires',
} as const satisfies Record<string, KeptHeader>

export type ResponseOverrides = Partial<Record<KeptHeader, string>>

/**
 * The header fields that a GET or HEAD requests instead of the stored ones; undefined if there are none, which is usual.
 *
 * @throws S3Error InvalidRequest for an unsigned request, with which anyone could serve a public object as HTML;
 *   InvalidArgument for a value that a header field cannot have
 */
export function responseOverrides(query: Query, isSigned: boolean): ResponseOverrides | undefined {
  if (query.size === 0) return undefined
  let result: ResponseOverrides | undefined
  for (const [parameter, value] of query) {
    if (!Object.hasOwn(overrides, parameter) || value === '') continue
    if (!isSigned) {
      throw new S3Error(
        'InvalidRequest',
        'Request specific response headers cannot be used for anonymous GET requests.',
      )
    }
    if (!fieldValue.test(value)) {
      const message = 'Header value cannot be represented using ISO-8859-1.'
      throw invalidArgument(parameter, value, message)
    }
    result ??= {}
    result[overrides[parameter as keyof typeof overrides]] = value
  }
  return result
}

/** Bytes in a word, which has at most 75 characters with `=?UTF-8?B?` and `?=` (RFC 2047 section 2). */
const maxWordBytes = 45

const beyondAscii = /[\x80-\xff]/

/**
 * The user metadata of an object. A value that is not ASCII is sent in encoded words of RFC 2047 (User Guide, "Working
 * with object metadata"). An empty name cannot be sent, so it is counted (API reference, GetObject, "x-amz-missing-meta").
 */
export function metadataFields(metadata: Attributes['metadata']): HeaderFields {
  return Object.entries(metadata).map(([name, value]) =>
    name === '' ? ['x-amz-missing-meta', '1'] : [`x-amz-meta-${name}`, asciiOf(value)],
  )
}

/**
 * The encoded words contain the text that was sent, unlike AWS, which reads every byte as latin1 and so encodes UTF-8 twice.
 */
function asciiOf(value: string): string {
  if (!beyondAscii.test(value)) return value
  const bytes = Buffer.from(value, 'latin1')
  const words = ['']
  // A word must have whole characters (RFC 2047 section 5).
  for (const character of isUtf8(bytes) ? bytes.toString() : value) {
    const longer = words.at(-1) + character
    if (Buffer.byteLength(longer) > maxWordBytes) words.push(character)
    else words[words.length - 1] = longer
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ')
}

/** An object of a bucket with lifecycle rules. */
interface ExpiringObject {
  readonly rules: readonly LifecycleRule[]
  readonly key: string
}

/**
 * Undefined if the bucket has no lifecycle rules, or the request names a version: a rule for objects only makes it a
 * former version, if it is the current one.
 */
export function expiringObject(context: ObjectContext): ExpiringObject | undefined {
  const { configuration, key, query } = context
  const { lifecycle } = configuration
  if (lifecycle === undefined) return undefined
  const isOfVersion = concernsVersions(configuration, query.has('versionId'))
  return isOfVersion ? undefined : { rules: lifecycle, key }
}

/**
 * When the object expires, and by which rule (API reference, GetObject: "x-amz-expiration"). Empty if it does not expire.
 */
export function expirationHeaders(
  object: ExpiringObject | undefined,
  { size, modifiedAtMs, attributes }: Pick<ObjectMetadata, 'size' | 'modifiedAtMs' | 'attributes'>,
): HeaderFields {
  if (object === undefined) return []
  const expiry = objectExpiry(object.rules, {
    key: object.key,
    size,
    modifiedAtMs,
    tags: attributes.tags,
  })
  if (expiry === undefined) return []
  const ruleId = encodeURIComponent(expiry.rule.id.toWellFormed())
  const date = formatHttpDate(expiry.atMs)
  return [['x-amz-expiration', `expiry-date="${date}", rule-id="${ruleId}"`]]
}
