import type { Attributes, KeptHeader } from '../../drives/attributes.ts'
import type { ObjectMetadata } from '../../drives/drive.ts'
import { quoteEtag } from '../checksums/etag.ts'
import { contentSecurityPolicy } from '../headers/content-security.ts'
import { formatHttpDate } from '../headers/http-date.ts'
import type { ResponseOverrides } from '../headers/response-overrides.ts'
import { metadataFields } from './metadata-fields.ts'

/** Header fields under construction. */
export type ReplyFields = (readonly [name: string, value: string])[]

/** The stored headers as replies spell them. Content-Type is always sent, so it is not listed. */
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
 * The fields of the last reply without overrides, for attributes that are read often. Stored only
 * when they are few and their texts are mostly those of the attributes, at most 1.2 KB: the caches of
 * attributes count that much for them.
 */
const maxWrittenFields = 10
const writtenFields = new WeakMap<
  Attributes,
  { readonly modifiedAtMs: number; readonly fields: ReplyFields }
>()

/** The fields of every 200 and 206 for an object, Content-Length excepted. The caller may add to them. */
export function objectFields(
  object: ObjectMetadata,
  overrides: ResponseOverrides | undefined,
): ReplyFields {
  if (overrides !== undefined) return writeFields(object, overrides)
  const { attributes, modifiedAtMs } = object
  const written = writtenFields.get(attributes)
  if (written?.modifiedAtMs === modifiedAtMs) return written.fields.slice()
  const fields = writeFields(object, undefined)
  const isSmall =
    fields.length <= maxWrittenFields && !fields.some(([, value]) => value.startsWith('=?'))
  if (isSmall) writtenFields.set(attributes, { modifiedAtMs, fields })
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
  fields.push(...metadataFields(metadata))
  return fields
}

/** Marks a reply whose ETag and Content-Type are provisional, and which lacks other fields. */
const provisionalMark = ['x-bucketry-attributes', 'unavailable'] as const

/** For a reply with provisional attributes: no cache may keep them. */
export function provisionalFields(overrides: ResponseOverrides | undefined): ReplyFields {
  const isSet = overrides?.['cache-control'] !== undefined
  return isSet ? [provisionalMark] : [provisionalMark, ['Cache-Control', 'no-store']]
}

/** A 304 has the fields with which a cache updates its copy (RFC 9110 section 15.4.5). */
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
