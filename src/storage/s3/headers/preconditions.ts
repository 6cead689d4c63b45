import type { IncomingHttpHeaders } from 'node:http'
import type { ObjectMetadata, WriteConditions } from '../../drives/drive.ts'
import { unknownAttributes } from '../errors.ts'
import { parseHttpDate } from './dates.ts'

/** The four fields of a read or of a copy's source, as received. */
interface ReadConditions {
  readonly ifMatch: string | undefined
  readonly ifNoneMatch: string | undefined
  readonly ifModifiedSince: string | undefined
  readonly ifUnmodifiedSince: string | undefined
}

type ConditionsOutcome =
  | 'met'
  /** 304 for a read, 412 for a copy's source. */
  | 'not-modified'
  /** 412. */
  | 'failed'

/** The field names, by prefix. Joining them for each request would take 1 µs, because V8 hashes every new text. */
const conditionFields = {
  '': ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'],
  'x-amz-copy-source-': [
    ...['x-amz-copy-source-if-match', 'x-amz-copy-source-if-none-match'],
    ...['x-amz-copy-source-if-modified-since', 'x-amz-copy-source-if-unmodified-since'],
  ],
} as const satisfies Record<string, readonly string[]>

/**
 * The conditions of a GET or HEAD, or of the source of a copy; undefined if there are none, which is usual.
 *
 * @param prefix of the field names, for the source of CopyObject and UploadPartCopy
 */
export function readConditions(
  headers: IncomingHttpHeaders,
  prefix: keyof typeof conditionFields = '',
): ReadConditions | undefined {
  const [ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince] = conditionFields[prefix].map(
    (name) => headers[name]?.toString(),
  )
  const first = ifMatch ?? ifNoneMatch ?? ifModifiedSince ?? ifUnmodifiedSince
  if (first === undefined) return undefined
  return { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince }
}

/**
 * Evaluates the conditions in the order of RFC 9110 section 13.2.2: a field with ETags takes precedence over the one with
 * a date. AWS documents the same: If-Match true with If-Unmodified-Since false is 200, If-None-Match false with
 * If-Modified-Since true is 304 (API reference, GetObject, "Overriding/conditional request headers").
 */
export function evaluateReadConditions(
  conditions: ReadConditions,
  metadata: ObjectMetadata,
): ConditionsOutcome {
  if (isModifiedOrOther(conditions, metadata)) return 'failed'
  return isKnownToClient(conditions, metadata) ? 'not-modified' : 'met'
}

function isModifiedOrOther(conditions: ReadConditions, metadata: ObjectMetadata): boolean {
  const { ifMatch, ifUnmodifiedSince } = conditions
  if (ifMatch !== undefined) {
    const isOther = !includesEtag(parseIfMatch(ifMatch), metadata.attributes.etag)
    if (isOther && metadata.attributes.isProvisional) throw unknownAttributes()
    return isOther
  }
  return ifUnmodifiedSince !== undefined && isModifiedSince(ifUnmodifiedSince, metadata) === true
}

function isKnownToClient(conditions: ReadConditions, metadata: ObjectMetadata): boolean {
  const { ifNoneMatch, ifModifiedSince } = conditions
  if (ifNoneMatch !== undefined) {
    // The client may have a reply with provisional attributes, which it must not keep.
    if (metadata.attributes.isProvisional && ifNoneMatch.trim() !== '*') return false
    return includesEtag(parseIfNoneMatch(ifNoneMatch), metadata.attributes.etag)
  }
  return ifModifiedSince !== undefined && isModifiedSince(ifModifiedSince, metadata) === false
}

/** Undefined for an invalid date, whose field is ignored (RFC 9110 section 13.1.3). */
function isModifiedSince(field: string, metadata: ObjectMetadata): boolean | undefined {
  const sinceMs = parseHttpDate(field)
  if (sinceMs === undefined) return undefined
  // Last-Modified has whole seconds, so a client that returns it has seen this version.
  return Math.floor(metadata.modifiedAtMs / 1000) * 1000 > sinceMs
}

/**
 * The conditions of PUT, Complete, Copy and DELETE, which the drive checks atomically with the write; undefined if there
 * are none. AWS accepts one ETag in If-Match and `*` in If-None-Match; lists are accepted as well, as in RFC 9110.
 */
export function writeConditions(headers: IncomingHttpHeaders): WriteConditions | undefined {
  const ifMatch = headers['if-match']
  const ifNoneMatch = headers['if-none-match']
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined
  return {
    ...(ifMatch === undefined ? {} : { ifMatch: parseIfMatch(ifMatch) }),
    ...(ifNoneMatch === undefined ? {} : { ifNoneMatch: parseIfNoneMatch(ifNoneMatch) }),
  }
}

/** ETags in header fields (RFC 9110 section 8.8.3). Everywhere else, an ETag has no quotes. */

/** The ETags of an If-Match or If-None-Match field, without quotes; `*` matches every ETag. */
type EtagList = readonly string[] | '*'

export function quoteEtag(etag: string): string {
  return `"${etag}"`
}

/** Removes quotes, which S3 clients often omit. */
export function unquoteEtag(text: string): string {
  const trimmed = text.trim()
  return trimmed.length >= 2 && trimmed.startsWith('"') && trimmed.endsWith('"')
    ? trimmed.slice(1, -1)
    : trimmed
}

// A bare token, which RFC 9110 does not allow, is accepted by S3 and sent by users of SDKs.
const entityTag = /(W\/)?"([^"]*)"|([^\s,"]+)/g

/** If-Match compares strongly: a weak ETag matches nothing (RFC 9110 section 13.1.1). */
export function parseIfMatch(field: string): EtagList {
  return parseEtagList(field, { keepsWeak: false })
}

/** If-None-Match compares weakly: `W/` is ignored (RFC 9110 section 13.1.2). */
export function parseIfNoneMatch(field: string): EtagList {
  return parseEtagList(field, { keepsWeak: true })
}

function parseEtagList(field: string, options: { readonly keepsWeak: boolean }): EtagList {
  if (field.trim() === '*') return '*'
  const etags: string[] = []
  for (const [, weak, quoted, bare] of field.matchAll(entityTag)) {
    const etag = quoted ?? bare
    if (etag !== undefined && (weak === undefined || options.keepsWeak)) etags.push(etag)
  }
  return etags
}

/** Whether the list matches the ETag of an existing object. */
export function includesEtag(list: EtagList, etag: string): boolean {
  return list === '*' || list.includes(etag)
}
