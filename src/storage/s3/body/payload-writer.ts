import { createHash, type Hash, hash } from 'node:crypto'
import { type ChecksumAlgorithm, createChecksum } from '../../../platform/checksums/checksum.ts'
import type { StoredChecksum } from '../../drives/attributes.ts'

/** Destination of a payload. One write at a time; the chunk may be reused once it resolves. */
export interface PayloadSink {
  write(chunk: Uint8Array): Promise<void>
}

/** Takes a payload in pieces. */
export interface BodyWriter {
  /**
   * Takes the next bytes. They are copied, unless they are the whole payload, which must not change before `finish`.
   * Rejects if the sink does, at the latest in `finish`. Undefined if there is nothing to wait for.
   */
  write(bytes: Uint8Array): Promise<void> | undefined
  /** Writes the rest and returns the size and digests of the payload. */
  finish(): Promise<PayloadDigest>
  /** Ends the writer. Resolves when no write to the sink is in progress, whatever its outcome. */
  idle(): Promise<void>
}

/** A socket delivers at most 64 KiB at a time. Gathering four such pieces for one write gives a third more MB/s. */
export const payloadBlockBytes = 256 * 1024

/**
 * Writes a payload to a sink in blocks and digests it. While a block is written, it is hashed and the next one is filled.
 * Holds at most two blocks.
 */
export class PayloadWriter implements BodyWriter {
  readonly #sink: PayloadSink
  readonly #digester: PayloadDigester
  readonly #blockBytes: number
  readonly #size: number | undefined
  #underWay: Promise<void> | undefined
  #block: Buffer | undefined
  /** The other block, which the write in progress may still read. */
  #spare: Buffer | undefined
  #filled = 0

  /** @param size number of bytes, if known. */
  constructor(
    sink: PayloadSink,
    algorithm: ChecksumAlgorithm | undefined,
    size?: number,
    withSha256 = false,
  ) {
    this.#sink = sink
    this.#size = size
    this.#digester = new PayloadDigester(algorithm, size, withSha256)
    this.#blockBytes = Math.min(payloadBlockBytes, Math.max(size ?? payloadBlockBytes, 1))
  }

  write(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#filled + bytes.length >= this.#blockBytes) return this.#writeThrough(bytes)
    this.#gather(bytes)
    return undefined
  }

  async finish(): Promise<PayloadDigest> {
    await this.#flush()
    await this.#underWay
    return this.#digester.digest()
  }

  async idle(): Promise<void> {
    await this.#underWay?.catch(() => undefined)
  }

  async #writeThrough(bytes: Uint8Array): Promise<void> {
    let rest = bytes
    while (this.#filled + rest.length >= this.#blockBytes) {
      if (rest.length === this.#size) return await this.#emit(rest)
      const part = rest.subarray(0, this.#blockBytes - this.#filled)
      rest = rest.subarray(part.length)
      this.#gather(part)
      await this.#flush()
    }
    if (rest.length > 0) this.#gather(rest)
  }

  #gather(bytes: Uint8Array): void {
    this.#block ??= Buffer.allocUnsafeSlow(this.#blockBytes)
    this.#block.set(bytes, this.#filled)
    this.#filled += bytes.length
  }

  async #flush(): Promise<void> {
    if (this.#block === undefined || this.#filled === 0) return
    const full = this.#block
    const filled = this.#filled
    this.#block = this.#spare
    this.#spare = full
    this.#filled = 0
    await this.#emit(full.subarray(0, filled))
  }

  async #emit(bytes: Uint8Array): Promise<void> {
    await this.#underWay
    this.#underWay = this.#sink.write(bytes)
    // Avoids an unhandled rejection until the next await.
    this.#underWay.catch(() => undefined)
    this.#digester.update(bytes)
  }
}

/** The size and digests of a received payload. */
export interface PayloadDigest {
  /** Bytes. */
  readonly size: number
  /** In lower case; also the ETag. */
  readonly md5Hex: string
  /** Present if one was sent or requested. Always FULL_OBJECT. */
  readonly checksum?: StoredChecksum
  /** In lower-case hexadecimal, if it was requested. */
  readonly sha256Hex?: string
}

/** Computes the size and all digests of a stream except its MD5. */
export class PayloadChecksums {
  readonly #algorithm: ChecksumAlgorithm | undefined
  readonly #checksum: ReturnType<typeof createChecksum> | undefined
  readonly #sha256: Hash | undefined
  #size = 0

  /** @param withSha256 whether to compute the payload hash of Signature Version 4 */
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

/** Computes the size and all digests of a stream. */
export class PayloadDigester {
  readonly #expectedSize: number | undefined
  readonly #checksums: PayloadChecksums
  #md5: Hash | undefined
  /** For a payload in one piece, because creating a hash object costs more than hashing it. */
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
