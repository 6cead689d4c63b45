/**
 * The checksums of S3
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html).
 */

import { type ChecksumAlgorithm, createChecksum } from '../../../platform/checksums/checksum.ts'
import type { StoredChecksum } from '../../drives/attributes.ts'
import { S3Error } from '../errors.ts'
import { combineCrcs, type PartChecksum } from './checksum-combine.ts'

/** The types of a multipart upload, its default first. */
const types: Partial<Record<ChecksumAlgorithm, readonly StoredChecksum['type'][]>> = {
  CRC32: ['COMPOSITE', 'FULL_OBJECT'],
  CRC32C: ['COMPOSITE', 'FULL_OBJECT'],
  CRC64NVME: ['FULL_OBJECT'],
}

/** The types a multipart upload may have with an algorithm, its default first (table of the page above). */
export function checksumTypes(algorithm: ChecksumAlgorithm): readonly StoredChecksum['type'][] {
  return types[algorithm] ?? ['COMPOSITE']
}

/**
 * The checksum of an object from those of its parts, in order: for FULL_OBJECT that of all bytes,
 * which only CRCs allow; for COMPOSITE the checksum of the parts' digests, `-`, and the number of
 * parts.
 *
 * @throws S3Error InvalidRequest when the algorithm does not have the type.
 */
export function checksumOfParts(
  algorithm: ChecksumAlgorithm,
  type: StoredChecksum['type'],
  parts: readonly PartChecksum[],
): StoredChecksum {
  if (!checksumTypes(algorithm).includes(type)) {
    throw new S3Error(
      'InvalidRequest',
      `The ${type} checksum type cannot be used with the ${algorithm} checksum algorithm.`,
    )
  }
  const value = type === 'COMPOSITE' ? composite(algorithm, parts) : combineCrcs(algorithm, parts)
  return { algorithm, type, value }
}

function composite(algorithm: ChecksumAlgorithm, parts: readonly PartChecksum[]): string {
  const hasher = createChecksum(algorithm)
  for (const { value } of parts) hasher.update(Buffer.from(value, 'base64'))
  return `${hasher.digest().toString('base64')}-${parts.length}`
}
