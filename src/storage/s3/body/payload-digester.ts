import { createHash, type Hash, hash } from 'node:crypto'
import { type ChecksumAlgorithm, createChecksum } from '../../../platform/checksums/checksum.ts'
import type { StoredChecksum } from '../../drives/attributes.ts'

/** The size and digests of a received payload. */
export interface PayloadDigest {
  /** Bytes. */
  readonly size: number
  /** Lower case: the ETag. */
  readonly md5Hex: string
  /** Present when one was sent or requested. Always FULL_OBJECT. */
  readonly checksum?: StoredChecksum
  /** In lower-case hexadecimal, if it was requested. */
  readonly sha256Hex?: string
}

/** Computes the size and all digests but the MD5 of a payload while it is streamed. */
export class PayloadChecksums {
  readonly #algorithm: ChecksumAlgorithm | undefined
  readonly #checksum: ReturnType<typeof createChecksum> | undefined
  readonly #sha256: Hash | undefined
  #size = 0

  /** @param withSha256 whether to compute the payload hash of Signature Version 4, too. */
  constructor(algorithm: ChecksumAlgorithm | undefined, withSha256: boolean) {
    this.#algorithm = algorithm
    this.#checksum = algorithm === undefined ? undefined : createChecksum(algorithm)
    this.#sha256 = withSha256 ? createHash('sha256') : undefined
  }

  get size(): number {
    return this.#size
  }

  update(bytes: Uint8Array): void {
    this.#size += bytes.length
    this.#checksum?.update(bytes)
    this.#sha256?.update(bytes)
  }

  /** Ends them. */
  digest(md5Hex: string): PayloadDigest {
    const sha256Hex = this.#sha256?.digest('hex')
    const digest = { size: this.#size, md5Hex, ...(sha256Hex !== undefined && { sha256Hex }) }
    if (this.#algorithm === undefined || this.#checksum === undefined) return digest
    const value = this.#checksum.digest().toString('base64')
    return { ...digest, checksum: { algorithm: this.#algorithm, value, type: 'FULL_OBJECT' } }
  }
}

/** Computes the size and digests of a payload while it is streamed. */
export class PayloadDigester {
  readonly #expectedSize: number | undefined
  readonly #checksums: PayloadChecksums
  #md5: Hash | undefined
  /** For a payload that arrived in one piece: creating a hash object costs more than hashing it. */
  #wholeMd5Hex: string | undefined

  /**
   * @param size exact number of bytes, if known.
   * @param withSha256 as that of PayloadChecksums.
   */
  constructor(algorithm: ChecksumAlgorithm | undefined, size?: number, withSha256 = false) {
    this.#expectedSize = size
    this.#checksums = new PayloadChecksums(algorithm, withSha256)
  }

  update(bytes: Uint8Array): void {
    if (this.#checksums.size === 0 && bytes.length === this.#expectedSize) {
      this.#wholeMd5Hex = hash('md5', bytes)
    } else {
      this.#md5 ??= createHash('md5')
      this.#md5.update(bytes)
    }
    this.#checksums.update(bytes)
  }

  /** Ends the digester. */
  digest(): PayloadDigest {
    const md5Hex = this.#wholeMd5Hex ?? (this.#md5 ?? createHash('md5')).digest('hex')
    return this.#checksums.digest(md5Hex)
  }
}
