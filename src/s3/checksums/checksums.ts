/**
 * The checksums of S3
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html).
 */

import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { ChecksumAlgorithm, StoredChecksum } from '../../drives/attributes.ts'
import { S3Error } from '../errors.ts'
import { combineCrcs, type PartChecksum } from './checksum-combine.ts'
import { Crc64Nvme, crc32c } from './checksum-crc.ts'

/** A checksum being computed. */
export interface ChecksumHasher {
  update(bytes: Uint8Array): void
  /** The big-endian digest. Ends the hasher. */
  digest(): Buffer
}

/** The properties of each algorithm; `types` lists the default of a multipart upload first. */
const algorithms = {
  CRC32: { bytes: 4, create: () => new Crc32Hasher(crc32), types: ['COMPOSITE', 'FULL_OBJECT'] },
  CRC32C: { bytes: 4, create: () => new Crc32Hasher(crc32c), types: ['COMPOSITE', 'FULL_OBJECT'] },
  CRC64NVME: { bytes: 8, create: () => new Crc64Nvme(), types: ['FULL_OBJECT'] },
  SHA1: { bytes: 20, create: () => createHash('sha1'), types: ['COMPOSITE'] },
  SHA256: { bytes: 32, create: () => createHash('sha256'), types: ['COMPOSITE'] },
} as const satisfies Record<
  ChecksumAlgorithm,
  {
    readonly bytes: number
    readonly create: () => ChecksumHasher
    readonly types: readonly StoredChecksum['type'][]
  }
>

/** A new hasher. */
export function createChecksum(algorithm: ChecksumAlgorithm): ChecksumHasher {
  return algorithms[algorithm].create()
}

/** Length of a digest. */
export function checksumBytes(algorithm: ChecksumAlgorithm): number {
  return algorithms[algorithm].bytes
}

/** The types a multipart upload may have with an algorithm, its default first (table of the page above). */
export function checksumTypes(algorithm: ChecksumAlgorithm): readonly StoredChecksum['type'][] {
  return algorithms[algorithm].types
}

/** `x-amz-checksum-…`, the header of an algorithm. */
export function checksumHeader(algorithm: ChecksumAlgorithm): string {
  return `x-amz-checksum-${algorithm.toLowerCase()}`
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

class Crc32Hasher implements ChecksumHasher {
  readonly #step: (bytes: Uint8Array, crc: number) => number
  #crc = 0

  constructor(step: (bytes: Uint8Array, crc: number) => number) {
    this.#step = step
  }

  update(bytes: Uint8Array): void {
    this.#crc = this.#step(bytes, this.#crc)
  }

  digest(): Buffer {
    const bytes = Buffer.allocUnsafe(4)
    bytes.writeUInt32BE(this.#crc)
    return bytes
  }
}
