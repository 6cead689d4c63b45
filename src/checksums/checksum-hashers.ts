import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { ChecksumAlgorithm } from '../drives/attributes.ts'
import { Crc64Nvme, crc32c } from './checksum-crc.ts'

/** A checksum being computed. */
export interface ChecksumHasher {
  update(bytes: Uint8Array): void
  /** The big-endian digest. Ends the hasher. */
  digest(): Buffer
}

const algorithms = {
  CRC32: { bytes: 4, create: () => new Crc32Hasher(crc32) },
  CRC32C: { bytes: 4, create: () => new Crc32Hasher(crc32c) },
  CRC64NVME: { bytes: 8, create: () => new Crc64Nvme() },
  SHA1: { bytes: 20, create: () => createHash('sha1') },
  SHA256: { bytes: 32, create: () => createHash('sha256') },
} as const satisfies Readonly<
  Record<ChecksumAlgorithm, { readonly bytes: number; readonly create: () => ChecksumHasher }>
>

/** A new hasher. */
export function createChecksum(algorithm: ChecksumAlgorithm): ChecksumHasher {
  return algorithms[algorithm].create()
}

/** Length of a digest. */
export function checksumBytes(algorithm: ChecksumAlgorithm): number {
  return algorithms[algorithm].bytes
}

/** `x-amz-checksum-…`, the header of an algorithm. */
export function checksumHeader(algorithm: ChecksumAlgorithm): string {
  return `x-amz-checksum-${algorithm.toLowerCase()}`
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
