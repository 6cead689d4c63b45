import type { IncomingHttpHeaders } from 'node:http'
import { type Attributes, type KeptHeader, keptHeaders } from '../../drives/attributes.ts'
import { S3Error } from '../errors.ts'

/** The part of an object's attributes that its writer sends as header fields. */
export type SentAttributes = Pick<Attributes, 'headers' | 'metadata'>

const metadataPrefix = 'x-amz-meta-'

/** User metadata, names and values together (User Guide, "Working with object metadata"). */
const maxMetadataBytes = 2048

/**
 * The attributes sent with PutObject, CreateMultipartUpload or CopyObject with REPLACE.
 *
 * @throws S3Error MetadataTooLarge over 2 KB of user metadata.
 */
export function attributesFromHeaders(headers: IncomingHttpHeaders): SentAttributes {
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
 * The content coding without `aws-chunked`, which only describes how the body is sent (API
 * reference, "Signature Calculations: Transferring Payload in Multiple Chunks").
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
    // Both are latin1: a character is a byte.
    bytes += name.length + value.length
    entries.push([name, value])
  }
  if (bytes > maxMetadataBytes) {
    throw new S3Error('MetadataTooLarge', undefined, {
      elements: { Size: String(bytes), MaxSizeAllowed: String(maxMetadataBytes) },
    })
  }
  // Not by assignment: `x-amz-meta-__proto__` is a name like any other.
  return Object.fromEntries(entries)
}
