import type { IncomingHttpHeaders } from 'node:http'
import type { ObjectMetadata, WriteConditions } from '../../drives/drive.ts'
import { includesEtag, parseIfMatch, parseIfNoneMatch } from '../checksums/etag.ts'
import { unknownAttributes } from '../errors.ts'
import { parseHttpDate } from './http-date.ts'

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
