import type { StoredChecksum } from '../../drives/attributes.ts'
import type { SentChecksum } from '../checksums/checksum-headers.ts'
import { checksumOfParts, checksumTypes } from '../checksums/checksums.ts'
import { S3Error } from '../errors.ts'
import type { UploadChecksum, UploadDetails, UploadedPart } from './upload-records.ts'

/** The checksum that CompleteMultipartUpload may name. */
export interface CompleteChecksum {
  /** x-amz-checksum-*: what the client expects of the whole object. */
  readonly checksum?: SentChecksum | undefined
  /** x-amz-checksum-type. */
  readonly checksumType?: StoredChecksum['type'] | undefined
}

/**
 * The checksum of a completed upload, from those of its parts; undefined when the upload has none.
 *
 * @throws S3Error InvalidRequest when the request has another kind of checksum than the upload was
 *   created with; BadDigest when it expects another value.
 */
export function completedChecksum(
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

/** An upload created without a checksum still has one to check when Complete names it. */
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

/** SDKs send a composite checksum with and without the number of parts. */
function isSameValue(sent: string, computed: string): boolean {
  return sent === computed || `${sent}-` === computed.slice(0, sent.length + 1)
}
