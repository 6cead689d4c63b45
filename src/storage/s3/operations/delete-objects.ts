import type { HttpReply } from '../../../platform/http/message.ts'
import { isAuthorized } from '../../access/authorize.ts'
import { isLegalKey } from '../../drives/kit/names/key-path.ts'
import {
  childText,
  maxXmlBodyBytes,
  parseXmlBody,
  readSmallBody,
  type XmlElement,
} from '../body/xml-body.ts'
import { concernsVersions } from '../configuration/public-access.ts'
import type { BucketContext, ObjectContext, S3Service } from '../context.ts'
import { headerNotImplemented, noSuchKey, S3Error } from '../errors.ts'
import { type ExpectedDigests, expectedDigests } from '../headers/checksum-headers.ts'
import { unquoteEtag, writeConditions } from '../headers/preconditions.ts'
import { answeredError, isFault } from '../reply/render-error.ts'
import { type XmlChildren, xmlReply } from '../reply/xml.ts'

/** Conditions of S3's directory buckets. Ignoring them would delete objects that must be kept. */
const unknownHeaders = ['x-amz-if-match-last-modified-time', 'x-amz-if-match-size'] as const
const unknownElements = ['LastModifiedTime', 'Size'] as const

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObject.html. An object that
 * does not exist is 404 NoSuchKey, unlike on AWS, unless COMPATIBILITY is aws
 * (docs/contract/object-storage.md, "Deleting an absent object").
 */
export async function deleteObject(context: ObjectContext): Promise<HttpReply> {
  const { service, request, bucket, key } = context
  for (const name of unknownHeaders) {
    if (request.headers[name] === undefined) continue
    throw headerNotImplemented(name)
  }
  const wasThere = await service.drive.remove(bucket, key, writeConditions(request.headers))
  if (!wasThere && !service.compatibility.absentDeletes) throw noSuchKey(key)
  return { status: 204, headers: [] }
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
  const failures = await deleteAll(context, doomed)
  const deleted = doomed.filter((_, index) => failures[index] === undefined)
  return xmlReply('DeleteResult', {
    Deleted: isQuiet ? undefined : deleted.map(nameOf),
    Error: doomed.flatMap((object, index) => {
      const error = failures[index]
      if (error === undefined) return []
      return [{ ...nameOf(object), Code: error.code, Message: error.message }]
    }),
  })
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

function nameOf({ key, versionId }: Doomed): XmlChildren {
  return { Key: key, VersionId: versionId }
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

/**
 * Returns the error of each object, if any, as the client gets it. Logs one of each kind, since an unavailable drive
 * fails for all.
 */
async function deleteAll(
  context: BucketContext,
  doomed: readonly Doomed[],
): Promise<(S3Error | undefined)[]> {
  const { service, request, bucket } = context
  const logged = new Set<string>()
  const failures = await failuresOf(context, doomed)
  return failures.map((err, index) => {
    if (err === undefined) return undefined
    const error = answeredError(err, service.compatibility)
    if (isFault(error) && !logged.has(error.code)) {
      const fields = { requestId: request.id, bucket, key: doomed[index]?.key, err }
      service.log.error(fields, 'could not delete an object')
      logged.add(error.code)
    }
    return error
  })
}

async function failuresOf(context: BucketContext, doomed: readonly Doomed[]): Promise<unknown[]> {
  const failures: unknown[] = doomed.map((object) => refusalOf(context, object))
  const left = new Set(doomed.keys().filter((index) => failures[index] === undefined))
  const together = [...left].filter((index) => doomed[index]?.etag === undefined)
  const removed = await removeTogether(
    context,
    together.map((index) => doomed[index]?.key ?? ''),
  )
  for (const [position, error] of removed?.entries() ?? []) {
    const index = together[position] ?? 0
    failures[index] = error
    left.delete(index)
  }
  const entries = left.values()
  const work = async (): Promise<void> => {
    // The workers share one iterator.
    for (const index of entries) {
      const object = doomed[index]
      if (object !== undefined) failures[index] = await deleteOne(context, object)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return failures
}

/** Undefined if the drive removes objects one by one. */
async function removeTogether({ service, bucket }: BucketContext, keys: readonly string[]) {
  return keys.length > 1 ? await service.drive.removeAll?.(bucket, keys) : undefined
}

function refusalOf(
  { identity, bucket, configuration }: BucketContext,
  { key, versionId, unknownCondition }: Doomed,
): S3Error | undefined {
  const isOfVersion = concernsVersions(configuration, versionId)
  const wanted = { action: 'delete', bucket, key, isPublic: false, isOfVersion } as const
  if (!isAuthorized(identity, wanted)) {
    return new S3Error('AccessDenied', 'This access key may not delete this object.')
  }
  if (!isLegalKey(key)) return new S3Error('KeyTooLongError')
  if (versionId !== undefined && versionId !== 'null') {
    return new S3Error(
      'InvalidArgument',
      'Invalid version id specified: objects here have no versions.',
    )
  }
  if (unknownCondition === undefined) return undefined
  const message = `The condition ${unknownCondition} is not implemented. Use ETag.`
  return new S3Error('NotImplemented', message)
}

async function deleteOne({ service, bucket }: BucketContext, { key, etag }: Doomed) {
  try {
    await service.drive.remove(bucket, key, etag === undefined ? undefined : conditionOf(etag))
    return undefined
  } catch (error) {
    return error
  }
}

function conditionOf(etag: string) {
  return { ifMatch: etag === '*' ? etag : [etag] } as const
}
