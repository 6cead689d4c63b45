import type { HttpReply } from '../../../platform/http/message.ts'
import { isAuthorized } from '../../access/authorize.ts'
import type { RemovalConditions, WriteConditions } from '../../drives/drive.ts'
import { isLegalKey } from '../../drives/kit/names/key-path.ts'
import type { Removal } from '../../drives/versions.ts'
import {
  childText,
  maxXmlBodyBytes,
  parseXmlBody,
  readSmallBody,
  type XmlElement,
} from '../body/xml-body.ts'
import { concernsVersions, hasVersions } from '../configuration/public-access.ts'
import type { BucketContext, ObjectContext, S3Service } from '../context.ts'
import { headerNotImplemented, noSuchKey, S3Error } from '../errors.ts'
import { type ExpectedDigests, expectedDigests } from '../headers/checksum-headers.ts'
import { lockRules } from '../headers/lock-headers.ts'
import { unquoteEtag, writeConditions } from '../headers/preconditions.ts'
import { answeredError, isFault } from '../reply/render-error.ts'
import { type XmlChildren, xmlReply } from '../reply/xml.ts'
import { versionFields, versionToUse } from '../versions.ts'

/** Conditions of S3's directory buckets. Ignoring them would delete objects that must be kept. */
const unknownHeaders = ['x-amz-if-match-last-modified-time', 'x-amz-if-match-size'] as const
const unknownElements = ['LastModifiedTime', 'Size'] as const

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObject.html. An object that
 * does not exist is 404 NoSuchKey, unlike on AWS, unless COMPATIBILITY is aws
 * (docs/contract/object-storage.md, "Deleting an absent object"). In a bucket with versions, every delete succeeds.
 */
export async function deleteObject(context: ObjectContext): Promise<HttpReply> {
  const { service, request, bucket, key, versionId, configuration } = context
  for (const name of unknownHeaders) {
    if (request.headers[name] === undefined) continue
    throw headerNotImplemented(name)
  }
  const conditions = await ofVersion(context, { key, versionId }, writeConditions(request.headers))
  const removal = await service.drive.remove(bucket, key, conditions)
  const succeeds = service.compatibility.absentDeletes || hasVersions(configuration)
  if (removal === undefined && !succeeds) throw noSuchKey(key)
  return { status: 204, headers: versionFields(removal ?? { versionId }) }
}

/** API reference, DeleteObjects: "The request can contain a list of up to 1,000 keys". */
const maxKeys = 1_000
/** A key of 1,024 bytes has at most 512 characters that are not ASCII, and clients write those as references. */
const bounds = { nodes: 8 * maxKeys, references: 512 * maxKeys }
/** Concurrent removals: each waits for the disk. */
const concurrency = 16

interface Doomed {
  readonly key: string
  /** Only the version with this ETag. */
  readonly etag: string | undefined
  readonly versionId: string | undefined
  readonly unknownCondition: string | undefined
}

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html. A key without an object
 * is reported as deleted, as in AWS.
 */
export async function deleteObjects(context: BucketContext): Promise<HttpReply> {
  const expected = expectedDigests(context.request.headers)
  requireDigest(expected, context.service)
  const body = await readSmallBody(context.request, maxXmlBodyBytes, expected)
  const document = parseXmlBody(body, 'Delete', bounds)
  const isQuiet = childText(document, 'Quiet')?.trim().toLowerCase() === 'true'
  const doomed = document.children.filter(({ name }) => name === 'Object').map(parseObject)
  if (doomed.length === 0 || doomed.length > maxKeys) {
    throw new S3Error(
      'MalformedXML',
      `Delete must list 1 to ${maxKeys} objects, got ${doomed.length}.`,
    )
  }
  const outcomes = await deleteAll(context, doomed)
  const deleted: XmlChildren[] = []
  const failed: XmlChildren[] = []
  for (const [index, object] of doomed.entries()) {
    const outcome = outcomes[index]
    const name = { Key: object.key, VersionId: object.versionId }
    if (outcome instanceof S3Error) {
      failed.push({ ...name, Code: outcome.code, Message: outcome.message })
    } else deleted.push({ ...name, ...markerElements(outcome) })
  }
  return xmlReply('DeleteResult', { Deleted: isQuiet ? undefined : deleted, Error: failed })
}

/** API reference, DeletedObject: of a delete marker that was created, or was removed by its version ID. */
function markerElements(removal: Removal | undefined): XmlChildren {
  if (!removal?.isDeleteMarker) return {}
  return { DeleteMarker: true, DeleteMarkerVersionId: removal.versionId }
}

/** API reference, DeleteObjects: "The Content-MD5 request header is required", or a checksum. */
function requireDigest(
  { md5Hex, checksum }: ExpectedDigests,
  { compatibility }: Pick<S3Service, 'compatibility'>,
): void {
  if (md5Hex !== undefined || checksum !== undefined || !compatibility.deleteChecksums) return
  const message = 'Missing required header for this request: Content-MD5, or an x-amz-checksum-*.'
  throw new S3Error('InvalidRequest', message)
}

function parseObject(element: XmlElement): Doomed {
  const key = childText(element, 'Key') ?? ''
  if (key === '') throw new S3Error('MalformedXML', 'An Object of Delete is missing its Key.')
  const etag = childText(element, 'ETag')
  return {
    key,
    etag: etag === undefined ? undefined : unquoteEtag(etag),
    // An empty element means none: WAL-G sends it for objects of a bucket without versions.
    versionId: childText(element, 'VersionId') || undefined,
    unknownCondition: unknownElements.find((name) => childText(element, name) !== undefined),
  }
}

/** What became of an object: a removal, or why there is none. Undefined if there was nothing to remove. */
type Outcome<Failure> = Removal | { readonly failure: Failure } | undefined

/**
 * Returns what became of each object, errors as the client gets them. Logs one of each kind, since an unavailable drive
 * fails for all.
 */
async function deleteAll(
  context: BucketContext,
  doomed: readonly Doomed[],
): Promise<(Removal | S3Error | undefined)[]> {
  const { service, request, bucket } = context
  const logged = new Set<string>()
  const outcomes = await outcomesOf(context, doomed)
  return outcomes.map((outcome, index) => {
    if (outcome === undefined || !('failure' in outcome)) return outcome
    const { failure: err } = outcome
    const error = answeredError(err, service.compatibility)
    if (isFault(error) && !logged.has(error.code)) {
      const fields = { requestId: request.id, bucket, key: doomed[index]?.key, err }
      service.log.error(fields, 'could not delete an object')
      logged.add(error.code)
    }
    return error
  })
}

async function outcomesOf(
  context: BucketContext,
  doomed: readonly Doomed[],
): Promise<Outcome<unknown>[]> {
  const outcomes = doomed.map((object): Outcome<unknown> => {
    try {
      return void assertDeletable(context, object)
    } catch (failure) {
      return { failure }
    }
  })
  const left = new Set(doomed.keys().filter((index) => outcomes[index] === undefined))
  const together = [...left].filter((index) => doomed[index]?.etag === undefined)
  const removed = await removeTogether(
    context,
    together.map((index) => doomed[index]?.key ?? ''),
  )
  for (const [position, failure] of removed?.entries() ?? []) {
    const index = together[position] ?? 0
    if (failure !== undefined) outcomes[index] = { failure }
    left.delete(index)
  }
  const entries = left.values()
  const work = async (): Promise<void> => {
    // The workers share one iterator.
    for (const index of entries) {
      const object = doomed[index]
      if (object !== undefined) outcomes[index] = await deleteOne(context, object)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return outcomes
}

/** Undefined if the drive removes objects one by one, as in a bucket with versions, where each has its own delete marker. */
async function removeTogether(
  { service, bucket, configuration }: BucketContext,
  keys: readonly string[],
) {
  if (keys.length <= 1 || hasVersions(configuration)) return undefined
  return await service.drive.removeAll?.(bucket, keys)
}

/** @throws S3Error AccessDenied, KeyTooLongError, InvalidArgument, NotImplemented */
function assertDeletable(
  { service, identity, bucket, configuration }: BucketContext,
  { key, versionId, unknownCondition }: Doomed,
): void {
  const isOfVersion = concernsVersions(configuration, versionId !== undefined)
  const wanted = { action: 'delete', bucket, key, isPublic: false, isOfVersion } as const
  if (!isAuthorized(identity, wanted)) {
    throw new S3Error('AccessDenied', 'This access key may not delete this object.')
  }
  if (!isLegalKey(key)) throw new S3Error('KeyTooLongError')
  versionToUse(service, configuration, versionId, { name: 'VersionId' })
  if (unknownCondition === undefined) return
  const message = `The condition ${unknownCondition} is not implemented. Use ETag.`
  throw new S3Error('NotImplemented', message)
}

async function deleteOne(
  context: BucketContext,
  { key, etag, versionId: requested }: Doomed,
): Promise<Outcome<unknown>> {
  const { service, bucket, configuration } = context
  try {
    const versionId = versionToUse(service, configuration, requested)
    const conditions = await ofVersion(context, { key, versionId }, conditionOf(etag))
    return await service.drive.remove(bucket, key, conditions)
  } catch (failure) {
    return { failure }
  }
}

/** Without conditions, a drive may remove an object that it has not looked at. */
async function ofVersion(
  context: BucketContext,
  { key, versionId }: { readonly key: string; readonly versionId: string | undefined },
  conditions: WriteConditions | undefined,
): Promise<RemovalConditions | undefined> {
  if (versionId === undefined) return conditions
  return { ...conditions, versionId, ...(await lockRules(context, key)) }
}

function conditionOf(etag: string | undefined) {
  if (etag === undefined) return undefined
  return { ifMatch: etag === '*' ? etag : [etag] } as const
}
