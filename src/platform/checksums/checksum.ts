import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { createXXHash3, createXXHash64, createXXHash128, type IHasher } from 'hash-wasm'
import { Crc64Nvme, crc32c } from './crc.ts'

/** Checksum algorithms of S3, with AWS's names. */
export const checksumAlgorithms = [
  ...(['CRC32', 'CRC32C', 'CRC64NVME', 'MD5', 'SHA1', 'SHA256', 'SHA512'] as const),
  ...(['XXHASH64', 'XXHASH3', 'XXHASH128'] as const),
] as const
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number]

/** A checksum being computed. */
export interface ChecksumHasher {
  update(bytes: Uint8Array): void
  /** Returns the big-endian digest and ends the hasher. */
  digest(): Buffer
}

const algorithms = {
  CRC32: { bytes: 4, create: () => new Crc32Hasher(crc32) },
  CRC32C: { bytes: 4, create: () => new Crc32Hasher(crc32c) },
  CRC64NVME: { bytes: 8, create: () => new Crc64Nvme() },
  MD5: { bytes: 16, create: () => createHash('md5') },
  SHA1: { bytes: 20, create: () => createHash('sha1') },
  SHA256: { bytes: 32, create: () => createHash('sha256') },
  SHA512: { bytes: 64, create: () => createHash('sha512') },
  XXHASH64: { bytes: 8, create: () => xxHasher('XXHASH64') },
  XXHASH3: { bytes: 8, create: () => xxHasher('XXHASH3') },
  XXHASH128: { bytes: 16, create: () => xxHasher('XXHASH128') },
} as const satisfies Readonly<
  Record<ChecksumAlgorithm, { readonly bytes: number; readonly create: () => ChecksumHasher }>
>

export function createChecksum(algorithm: ChecksumAlgorithm): ChecksumHasher {
  return algorithms[algorithm].create()
}

/** One instance per algorithm for all streams, because WebAssembly starts asynchronously. */
const xxHashes = new Map<string, IHasher>()

/** Loads the XXHASH algorithms. Call it before the first use in a thread. */
export async function loadXxHashes(): Promise<void> {
  xxHashes.set('XXHASH64', await createXXHash64())
  xxHashes.set('XXHASH3', await createXXHash3())
  xxHashes.set('XXHASH128', await createXXHash128())
}

/** Length of a digest in bytes. */
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

/** A stream that loads its state into the shared instance for each step. */
function xxHasher(algorithm: ChecksumAlgorithm): ChecksumHasher {
  const instance = xxHashes.get(algorithm)
  if (instance === undefined) throw new TypeError(`${algorithm} is not loaded`)
  let state = instance.init().save()
  return {
    update(bytes) {
      state = instance.load(state).update(bytes).save()
    },
    digest: () => Buffer.from(instance.load(state).digest('binary')),
  }
}
