import type { IncomingHttpHeaders } from 'node:http'
import type { ObjectMetadata, WriteConditions } from '../../drives/drive.ts'
import { unknownAttributes } from '../errors.ts'
import { parseHttpDate } from './dates.ts'

/** The four fields as received, of a read or of a copy's source. */
interface ReadConditions {
  readonly ifMatch: string | undefined
  readonly ifNoneMatch: string | undefined
  readonly ifModifiedSince: string | undefined
  readonly ifUnmodifiedSince: string | undefined
}

type ConditionsOutcome =
  | 'met'
  /** 304 for a read; a copy's source answers 412. */
  | 'not-modified'
  /** 412. */
  | 'failed'

/** The conditions of a GET or HEAD; undefined when there are none, the usual case. */
export function readConditions(headers: IncomingHttpHeaders): ReadConditions | undefined {
  return presentConditions({
    ifMatch: headers['if-match'],
    ifNoneMatch: headers['if-none-match'],
    ifModifiedSince: headers['if-modified-since'],
    ifUnmodifiedSince: headers['if-unmodified-since'],
  })
}

/** The conditions on the source of CopyObject and UploadPartCopy. */
export function copySourceConditions(headers: IncomingHttpHeaders): ReadConditions | undefined {
  return presentConditions({
    ifMatch: singleValue(headers['x-amz-copy-source-if-match']),
    ifNoneMatch: singleValue(headers['x-amz-copy-source-if-none-match']),
    ifModifiedSince: singleValue(headers['x-amz-copy-source-if-modified-since']),
    ifUnmodifiedSince: singleValue(headers['x-amz-copy-source-if-unmodified-since']),
  })
}

function presentConditions(conditions: ReadConditions): ReadConditions | undefined {
  return conditions.ifMatch === undefined &&
    conditions.ifNoneMatch === undefined &&
    conditions.ifModifiedSince === undefined &&
    conditions.ifUnmodifiedSince === undefined
    ? undefined
    : conditions
}

/** The type of Node's headers allows an array; it gives one for set-cookie alone. */
function singleValue(value: string | string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(', ') : value
}

/**
 * Evaluates the conditions in the order of RFC 9110 section 13.2.2: a field with ETags takes
 * precedence over the one with a date. That is also what AWS documents for the pairs: If-Match true
 * with If-Unmodified-Since false is 200, If-None-Match false with If-Modified-Since true is 304
 * (API reference, GetObject, "Overriding/conditional request headers").
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
    // The client may hold a reply without attributes: it gets another one rather than keep it.
    if (metadata.attributes.isProvisional && ifNoneMatch.trim() !== '*') return false
    return includesEtag(parseIfNoneMatch(ifNoneMatch), metadata.attributes.etag)
  }
  return ifModifiedSince !== undefined && isModifiedSince(ifModifiedSince, metadata) === false
}

/** Undefined for an invalid date: the field is then ignored (RFC 9110 section 13.1.3). */
function isModifiedSince(field: string, metadata: ObjectMetadata): boolean | undefined {
  const sinceMs = parseHttpDate(field)
  if (sinceMs === undefined) return undefined
  // Last-Modified has whole seconds, so a client that sends it back has seen this version.
  return Math.floor(metadata.modifiedAtMs / 1000) * 1000 > sinceMs
}

/**
 * The conditions of PUT, Complete, Copy and DELETE, for the drive to check atomically with the
 * write; undefined when there are none. AWS accepts one ETag in If-Match and `*` in If-None-Match;
 * this also accepts lists, as RFC 9110 does.
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

/** The ETags of an If-Match or If-None-Match field, without quotes; `*`: any. */
type EtagList = readonly string[] | '*'

export function quoteEtag(etag: string): string {
  return `"${etag}"`
}

/** Removes the quotes, which S3 clients often omit. */
export function unquoteEtag(text: string): string {
  const trimmed = text.trim()
  return trimmed.length >= 2 && trimmed.startsWith('"') && trimmed.endsWith('"')
    ? trimmed.slice(1, -1)
    : trimmed
}

// RFC 9110 does not allow a bare token, but S3 accepts it and SDK users send it.
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

/** Whether the list names the ETag of an object that exists. */
export function includesEtag(list: EtagList, etag: string): boolean {
  return list === '*' || list.includes(etag)
}
