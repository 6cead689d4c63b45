import { createHash } from 'node:crypto'
import type { Attributes, Retention, StoredChecksum } from '../../drives/attributes.ts'
import type { WriteConditions } from '../../drives/drive.ts'
import { S3Error } from '../errors.ts'
import { checksumOfParts, checksumTypes, type SentChecksum } from '../headers/checksum-headers.ts'
import { sentAttributes } from '../headers/object-headers.ts'
import type { UploadChecksum, UploadDetails, UploadedPart } from './upload-records.ts'

/**
 * Characters. The checksums are part of the attributes, which are read with every HEAD, so the list
 * is kept short: enough for 1,000 parts with CRC32 or 181 parts with SHA-256.
 */
const maxPartChecksumsLength = 8_000

/** What a client requests with CompleteMultipartUpload. */
export interface CompletionRequest extends CompleteChecksum {
  /** As listed, at least one. */
  readonly parts: readonly ListedPart[]
  /** x-amz-mp-object-size, bytes. */
  readonly objectSize?: number | undefined
  readonly conditions?: WriteConditions | undefined
  /** For an upload that was created without a retention. */
  readonly retention?: Retention
  /** Minimum size of every part except the last. Default: 0. */
  readonly minPartBytes?: number
}

export interface ListedPart {
  readonly number: number
  /** No quotes. */
  readonly etag: string
  readonly checksums: readonly SentChecksum[]
}

/** What to publish. Stored as JSON with the upload, so that the decision never changes. */
export interface Completion {
  readonly attributes: Attributes
  readonly partCount: number
  /** Present if the parts came in any order. Stored because it must be known while the drive is unavailable. */
  readonly anyOrder?: true
  /** Bytes of the object. */
  readonly size: number
  readonly conditions?: WriteConditions
  /** As ObjectMetadata, once the object is published. */
  readonly versionId?: string
}

/** The committed parts, to check a list against. */
interface CommittedUpload {
  readonly details: UploadDetails
  /** All parts in the order of their numbers: 1, 2, 3 …, or any numbers if parts come in any order. */
  readonly parts: readonly UploadedPart[]
  /** Whether the parts come in any order. Any of them may then be left out. */
  readonly anyOrder: boolean
  /** Whether trailing parts may be left out. */
  readonly canTruncate: boolean
}

/**
 * Checks the list against the committed parts and computes the object's attributes.
 *
 * @throws S3Error InvalidPartOrder, InvalidPart, InvalidRequest or BadDigest.
 */
export function planCompletion(request: CompletionRequest, upload: CommittedUpload): Completion {
  assertAscending(request.parts)
  const numbered = new Map(upload.parts.map((part) => [part.number, part]))
  const parts = request.parts.map((listed, index) => {
    if (!upload.anyOrder) requireNext(listed, index, upload.parts.length)
    return matchPart(listed, numbered.get(listed.number))
  })
  if (parts.length < upload.parts.length && !upload.canTruncate) {
    throw new S3Error(
      'InvalidPart',
      `All ${upload.parts.length} parts must be listed: this drive can't remove uploaded parts.`,
    )
  }
  assertLargeEnough(parts, request.minPartBytes)
  const size = parts.reduce((sum, part) => sum + part.size, 0)
  assertSize(request.objectSize, size)
  const { conditions, retention } = request
  const checksum = completedChecksum(request, upload.details, parts)
  const attributes: Attributes = {
    // The order of these fields must not change: a Complete that a previous version began is compared with this
    // text.
    etag: etagOfParts(parts),
    ...sentAttributes({ ...(retention && { retention }), ...upload.details }),
    partSizes: sizesOfParts(parts),
    ...(checksum === undefined ? {} : { checksum, ...partChecksums(parts) }),
  }
  return {
    ...{ attributes, partCount: parts.length, size },
    ...(upload.anyOrder && { anyOrder: true }),
    ...(conditions && { conditions }),
  }
}

function assertAscending(parts: readonly ListedPart[]): void {
  let before = 0
  for (const { number } of parts) {
    if (number <= before) {
      throw new S3Error(
        'InvalidPartOrder',
        `The list of parts was not in ascending order: part ${number} is listed after part ${before}.`,
      )
    }
    before = number
  }
}

/** Parts in order are stored consecutively on the drive, so a list has no gaps and begins with part 1. */
function requireNext(listed: ListedPart, index: number, partCount: number): void {
  if (listed.number === index + 1 || listed.number > partCount) return
  throw invalidPart(listed, `Part ${index + 1} is missing from the list and can't be left out.`)
}

function matchPart(listed: ListedPart, part: UploadedPart | undefined): UploadedPart {
  if (part === undefined) throw invalidPart(listed, `Part ${listed.number} was not uploaded.`)
  if (listed.etag !== part.etag) {
    throw invalidPart(
      listed,
      `Part ${listed.number} has ETag "${part.etag}", but the list has "${listed.etag}".`,
    )
  }
  for (const { algorithm, value } of listed.checksums) {
    if (part.checksum?.algorithm === algorithm && part.checksum.value !== value) {
      throw invalidPart(
        listed,
        `Part ${listed.number} has ${algorithm} ${part.checksum.value}, but the list has ${value}.`,
      )
    }
  }
  return part
}

function invalidPart(listed: ListedPart, message: string): S3Error {
  return new S3Error('InvalidPart', message, {
    elements: { PartNumber: String(listed.number), ETag: listed.etag },
  })
}

/** With AWS's elements (https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html). */
function assertLargeEnough(parts: readonly UploadedPart[], minPartBytes = 0): void {
  const small = parts.slice(0, -1).find(({ size }) => size < minPartBytes)
  if (small === undefined) return
  throw new S3Error('EntityTooSmall', undefined, {
    elements: {
      ProposedSize: String(small.size),
      MinSizeAllowed: String(minPartBytes),
      PartNumber: String(small.number),
      ETag: small.etag,
    },
  })
}

/** AWS: "If the value doesn't match, … fails with an HTTP 400 InvalidRequest error." */
function assertSize(expected: number | undefined, size: number): void {
  if (expected === undefined || expected === size) return
  throw new S3Error(
    'InvalidRequest',
    `x-amz-mp-object-size is ${expected}, but the listed parts have ${size} bytes.`,
  )
}

/**
 * MD5 of the parts' binary MD5s, `-` and their number (docs/contract/object-storage.md, "ETags").
 */
export function etagOfParts(parts: readonly Pick<UploadedPart, 'etag'>[]): string {
  const hash = createHash('md5')
  for (const part of parts) hash.update(part.etag, 'hex')
  return `${hash.digest('hex')}-${parts.length}`
}

/** Returns the checksums of the parts, all of which have one: the object's checksum was computed from them. */
function partChecksums(parts: readonly UploadedPart[]): Pick<Attributes, 'partChecksums'> {
  const digests = parts.map(({ checksum }) => checksum?.value ?? '')
  const length = digests.reduce((sum, digest) => sum + digest.length, 0)
  return length > maxPartChecksumsLength ? {} : { partChecksums: digests }
}

function sizesOfParts(parts: readonly UploadedPart[]): [count: number, sizeBytes: number][] {
  const runs: [count: number, sizeBytes: number][] = []
  for (const { size } of parts) {
    const run = runs.at(-1)
    if (run?.[1] === size) run[0] += 1
    else runs.push([1, size])
  }
  return runs
}

/** The checksum that CompleteMultipartUpload may name. */
interface CompleteChecksum {
  /** x-amz-checksum-*: what the client expects of the whole object. */
  readonly checksum?: SentChecksum | undefined
  /** x-amz-checksum-type. */
  readonly checksumType?: StoredChecksum['type'] | undefined
}

/**
 * The checksum of a completed upload, from those of its parts; undefined when the upload has none.
 *
 * @throws S3Error InvalidRequest when the request has a different kind of checksum than the upload was
 *   created with; BadDigest when it expects a different value.
 */
function completedChecksum(
  request: CompleteChecksum,
  details: UploadDetails,
  parts: readonly UploadedPart[],
): StoredChecksum | undefined {
  const kind = details.checksum ?? impliedKind(request)
  if (kind === undefined) return undefined
  assertSameKind(request, kind)
  const computed = checksumOfParts(
    kind.algorithm,
    kind.type,
    parts.map((part) => ({ value: checksumOf(part, kind), sizeBytes: part.size })),
  )
  if (request.checksum !== undefined && !isSameValue(request.checksum.value, computed.value)) {
    throw new S3Error(
      'BadDigest',
      `The ${kind.algorithm} you specified did not match what we received: ${computed.value}.`,
    )
  }
  return computed
}

/** An upload created without a checksum is still checked if Complete names one. */
function impliedKind(request: CompleteChecksum) {
  if (request.checksum === undefined) return undefined
  const { algorithm } = request.checksum
  const [defaultType = 'COMPOSITE'] = checksumTypes(algorithm)
  return { algorithm, type: request.checksumType ?? defaultType }
}

function assertSameKind({ checksum, checksumType }: CompleteChecksum, kind: UploadChecksum): void {
  if (checksum !== undefined && checksum.algorithm !== kind.algorithm) {
    throw mismatch('algorithm', kind.algorithm, checksum.algorithm)
  }
  if (checksumType !== undefined && checksumType !== kind.type) {
    throw mismatch('type', kind.type, checksumType)
  }
}

function mismatch(what: string, expected: string, actual: string): S3Error {
  return new S3Error(
    'InvalidRequest',
    `The upload was created with checksum ${what} ${expected}, but the request specifies ${actual}.`,
  )
}

function checksumOf(part: UploadedPart, kind: UploadChecksum): string {
  if (part.checksum?.algorithm === kind.algorithm) return part.checksum.value
  throw new S3Error(
    'InvalidRequest',
    `Part ${part.number} was uploaded without the required ${kind.algorithm} checksum.`,
  )
}

/** SDKs send a composite checksum with or without the number of parts. */
function isSameValue(sent: string, computed: string): boolean {
  return sent === computed || `${sent}-` === computed.slice(0, sent.length + 1)
}
