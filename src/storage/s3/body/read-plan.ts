import type { IncomingHttpHeaders } from 'node:http'
import type { HeaderFields } from '../../../platform/http/message.ts'
import { isAuthorized } from '../../access/authorize.ts'
import type { Attributes } from '../../drives/attributes.ts'
import type { ObjectMetadata } from '../../drives/drive.ts'
import { concernsVersions } from '../configuration/public-access.ts'
import type { ObjectContext } from '../context.ts'
import { S3Error, unknownAttributes } from '../errors.ts'
import { checksumHeaders } from '../headers/checksum-headers.ts'
import { lockReply } from '../headers/lock-headers.ts'
import { evaluateReadConditions, readConditions } from '../headers/preconditions.ts'
import {
  contentRange,
  countParts,
  isSameVersion,
  type ObjectRange,
  partChecksum,
  partRange,
  resolveRange,
} from '../headers/range.ts'
import { readPartNumber } from '../multipart/part-request.ts'
import {
  expirationHeaders,
  expiringObject,
  notModifiedFields,
  objectFields,
  provisionalFields,
  type ReplyFields,
  type ResponseOverrides,
  responseOverrides,
} from '../reply/object-reply.ts'
import { versionFields } from '../versions.ts'

/** A parsed GET or HEAD. */
export interface ReadRequest {
  readonly context: ObjectContext
  readonly headers: IncomingHttpHeaders
  readonly overrides: ResponseOverrides | undefined
  readonly partNumber: number | undefined
}

/** The reply without its bytes. `range` is absent if no bytes are sent (304). */
export interface ReadPlan {
  readonly status: 200 | 206 | 304
  readonly headers: ReplyFields
  readonly range?: ObjectRange
}

/**
 * Parses a GET or HEAD, and refuses what it can before the drive is read.
 *
 * @throws S3Error InvalidRequest or InvalidArgument.
 */
export function parseReadRequest(context: ObjectContext): ReadRequest {
  const { query, identity } = context
  const { headers } = context.request
  if (headers['x-amz-server-side-encryption-customer-algorithm'] !== undefined) {
    throw new S3Error(
      'InvalidRequest',
      'The encryption parameters are not applicable to this object.',
    )
  }
  const part = query.get('partNumber')
  const partNumber = part === undefined ? undefined : readPartNumber('partNumber', part)
  if (partNumber !== undefined && headers.range !== undefined) {
    throw new S3Error(
      'InvalidRequest',
      'Cannot specify both Range header and partNumber query parameter.',
    )
  }
  const overrides = responseOverrides(query, identity.kind !== 'anonymous')
  return { context, headers, overrides, partNumber }
}

/**
 * Decides the reply from the object's metadata: conditions first, then the range (RFC 9110 section 13.2.2).
 *
 * @throws S3Error PreconditionFailed, InvalidRange or InvalidPartNumber.
 */
export function planRead(request: ReadRequest, metadata: ObjectMetadata): ReadPlan {
  if (isKnownToClient(request, metadata)) {
    return { status: 304, headers: [...notModifiedFields(metadata), ...versionFields(metadata)] }
  }
  const requested = requestedRange(request, metadata)
  const range = requested ?? { start: 0, end: metadata.size }
  // Content-Range cannot describe an empty part, so its status is 200.
  const isPartial = requested !== undefined && requested.end > requested.start
  const headers = objectFields(metadata, request.overrides)
  if (metadata.attributes.isProvisional) headers.push(...provisionalFields(request.overrides))
  if (isPartial) headers.push(['Content-Range', contentRange(requested, metadata.size)])
  pushPartsCount(headers, request, metadata)
  pushPrivateFields(headers, request.context, metadata.attributes)
  const expiring = expiringObject(request.context)
  if (expiring !== undefined) headers.push(...expirationHeaders(expiring, metadata))
  if (request.headers['x-amz-checksum-mode'] !== undefined) {
    headers.push(...checksumFields(request, metadata, range))
  }
  return { status: isPartial ? 206 : 200, headers, range }
}

/** Shows who writes the object again that it is private, which a write without an ACL would end. */
const privateMark = ['x-bucketry-acl', 'private'] as const

/**
 * Not if the reader may read only because everyone may (API reference, GetObject: "x-amz-tagging-count",
 * "x-amz-object-lock-mode").
 */
function pushPrivateFields(
  headers: ReplyFields,
  { identity, bucket, key, configuration, query }: ObjectContext,
  attributes: Attributes,
): void {
  const { tags, retention, legalHold, isPrivate } = attributes
  if ((tags ?? retention ?? legalHold ?? isPrivate) === undefined) return
  const isOfVersion = concernsVersions(configuration, query.has('versionId'))
  const wanted = { action: 'read', bucket, key, isPublic: false, isOfVersion } as const
  if (!isAuthorized(identity, wanted)) return
  if (tags !== undefined) headers.push(['x-amz-tagging-count', String(Object.keys(tags).length)])
  headers.push(...lockReply(attributes))
  if (isPrivate) headers.push(privateMark)
}

function isKnownToClient(request: ReadRequest, metadata: ObjectMetadata): boolean {
  const conditions = readConditions(request.headers)
  if (conditions === undefined) return false
  const outcome = evaluateReadConditions(conditions, metadata)
  if (outcome !== 'failed') return outcome === 'not-modified'
  const failed = conditions.ifMatch === undefined ? 'If-Unmodified-Since' : 'If-Match'
  throw new S3Error('PreconditionFailed', undefined, { elements: { Condition: failed } })
}

/** The requested range; undefined for the whole object. */
function requestedRange(request: ReadRequest, metadata: ObjectMetadata): ObjectRange | undefined {
  if (request.partNumber !== undefined) return rangeOfPart(request.partNumber, metadata)
  const { range, 'if-range': ifRange } = request.headers
  if (range === undefined || !isRangeWanted(ifRange, metadata)) return undefined
  const outcome = resolveRange(range, metadata.size)
  if (outcome === 'whole') return undefined
  if (outcome !== 'unsatisfiable') return outcome
  throw new S3Error('InvalidRange', undefined, {
    elements: { RangeRequested: range, ActualObjectSize: String(metadata.size) },
    headers: { 'Content-Range': `bytes */${metadata.size}` },
  })
}

function isRangeWanted(ifRange: string | string[] | undefined, metadata: ObjectMetadata): boolean {
  if (ifRange === undefined) return true
  const { modifiedAtMs, attributes } = metadata
  return isSameVersion(String(ifRange), { etag: attributes.etag, modifiedAtMs })
}

/** The ETag of an object that was uploaded in several parts. */
const severalParts = /-(?:[2-9]|\d\d+)$/

/** For a drive that does not store part sizes (`Drive.ownEtags`). */
function unknownParts(): S3Error {
  const message = 'The drive does not store the part sizes of this object. Use Range.'
  return new S3Error('NotImplemented', message)
}

/** An object that was not uploaded in parts has one part, with status 206 as in S3. */
function rangeOfPart(partNumber: number, metadata: ObjectMetadata): ObjectRange {
  const { isProvisional, etag, partSizes: known } = metadata.attributes
  if (isProvisional) throw unknownAttributes()
  if (known === undefined && severalParts.test(etag)) throw unknownParts()
  const partSizes = known ?? [[1, metadata.size]]
  const range = partRange(partSizes, partNumber)
  if (range !== undefined) return range
  throw new S3Error('InvalidPartNumber', undefined, {
    elements: {
      PartNumberRequested: String(partNumber),
      ActualPartCount: String(countParts(partSizes)),
    },
  })
}

/**
 * The checksum of the part or object, if the reply is all of it. For a part whose checksum was not stored, only the type.
 */
function checksumFields(
  { partNumber }: ReadRequest,
  { attributes, size }: ObjectMetadata,
  range: ObjectRange,
): HeaderFields {
  const { checksum } = attributes
  const ofPart = partNumber === undefined ? undefined : partChecksum(attributes, partNumber)
  if (ofPart !== undefined) return checksumHeaders(ofPart, 'object')
  if (range.start === 0 && range.end === size) return checksumHeaders(checksum, 'object')
  if (partNumber === undefined || checksum === undefined) return []
  return [['x-amz-checksum-type', checksum.type]]
}

/** AWS: x-amz-mp-parts-count is returned when partNumber was requested and there were parts. */
function pushPartsCount(
  headers: ReplyFields,
  request: ReadRequest,
  metadata: ObjectMetadata,
): void {
  const { partSizes } = metadata.attributes
  if (request.partNumber === undefined || partSizes === undefined) return
  headers.push(['x-amz-mp-parts-count', String(countParts(partSizes))])
}
