import { createHash } from 'node:crypto'
import type { ChecksumAlgorithm, StoredChecksum } from '../drives/attributes.ts'
import { createChecksum } from './checksums.ts'

/** What a payload turned out to be. */
export interface PayloadDigest {
  /** Bytes. */
  readonly size: number
  /** Lower case: the ETag. */
  readonly md5Hex: string
  /** Present when one was sent or asked for. Always FULL_OBJECT. */
  readonly checksum?: StoredChecksum
}

/** Computes what is needed to know of a payload while it passes by. */
export class PayloadDigester {
  readonly #md5 = createHash('md5')
  readonly #algorithm: ChecksumAlgorithm | undefined
  readonly #checksum: ReturnType<typeof createChecksum> | undefined
  #size = 0

  constructor(algorithm: ChecksumAlgorithm | undefined) {
    this.#algorithm = algorithm
    this.#checksum = algorithm === undefined ? undefined : createChecksum(algorithm)
  }

  update(bytes: Uint8Array): void {
    this.#size += bytes.length
    this.#md5.update(bytes)
    this.#checksum?.update(bytes)
  }

  /** Ends the digester. */
  digest(): PayloadDigest {
    const digest = { size: this.#size, md5Hex: this.#md5.digest('hex') }
    if (this.#algorithm === undefined || this.#checksum === undefined) return digest
    const value = this.#checksum.digest().toString('base64')
    return { ...digest, checksum: { algorithm: this.#algorithm, value, type: 'FULL_OBJECT' } }
  }
}
