import {
  type ChecksumAlgorithm,
  type ChecksumHasher,
  checksumBytes,
  checksumHeader,
  createChecksum,
} from '../../../../platform/checksums/checksum.ts'

/** MinIO accepts chunks up to 16 MiB; versitygw requires 8 KiB, except for the last chunk. */
const chunkBytes = 1024 * 1024

/**
 * A checksum behind the bytes of a body, in chunks of `aws-chunked` (API reference, "Signature calculations: including
 * trailing headers").
 */
export class Trailer {
  readonly #algorithm: ChecksumAlgorithm
  readonly #hasher: ChecksumHasher
  readonly #size: number
  #sent = 0
  #value: string | undefined

  constructor(algorithm: ChecksumAlgorithm, size: number) {
    this.#algorithm = algorithm
    this.#hasher = createChecksum(algorithm)
    this.#size = size
  }

  /** The next bytes, with the head of each chunk. */
  *framed(bytes: Uint8Array): Generator<Uint8Array> {
    this.#hasher.update(bytes)
    for (let at = 0; at < bytes.length; ) {
      const within = this.#sent % chunkBytes
      if (within === 0) yield Buffer.from(headAt(this.#sent, this.#size))
      const piece = bytes.subarray(at, at + chunkBytes - within)
      yield piece
      at += piece.length
      this.#sent += piece.length
    }
  }

  /** What follows the bytes. */
  tail(): Buffer {
    this.#value = this.#hasher.digest().toString('base64')
    return Buffer.from(tailOf(checksumHeader(this.#algorithm), this.#value))
  }

  /** The checksum, with the SDK's field name. Empty before `tail`. */
  get checksum(): Readonly<Record<string, string>> {
    return this.#value === undefined ? {} : { [`Checksum${this.#algorithm}`]: this.#value }
  }
}

/**
 * The headers of a request whose body of `size` bytes has a trailer. Without `Content-Encoding: aws-chunked`, which
 * versitygw 1.8.0 would store with the object: stores recognize the form from `x-amz-content-sha256`.
 */
export function trailerHeaders(algorithm: ChecksumAlgorithm, size = ''): Record<string, string> {
  const name = checksumHeader(algorithm)
  const value = 'A'.repeat(4 * Math.ceil(checksumBytes(algorithm) / 3))
  let length = Number(size) + tailOf(name, value).length
  for (let at = 0; at < Number(size); at += chunkBytes) length += headAt(at, Number(size)).length
  return {
    'content-length': String(length),
    'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    'x-amz-decoded-content-length': size,
    'x-amz-trailer': name,
  }
}

/** The head of the chunk at this byte. */
function headAt(at: number, size: number): string {
  return `${at === 0 ? '' : '\r\n'}${Math.min(chunkBytes, size - at).toString(16)}\r\n`
}

function tailOf(name: string, value: string): string {
  return `\r\n0\r\n${name}:${value}\r\n\r\n`
}
