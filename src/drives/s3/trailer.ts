import {
  type ChecksumHasher,
  checksumBytes,
  checksumHeader,
  createChecksum,
} from '../../checksums/checksum-hashers.ts'
import type { ChecksumAlgorithm } from '../attributes.ts'

/**
 * A checksum behind the bytes of a body: all bytes are one chunk of `aws-chunked` (API reference, "Signature
 * calculations: including trailing headers"), as AWS's SDK for Go sends them.
 */
export class Trailer {
  /** Before the bytes. */
  readonly head: string
  readonly #name: string
  readonly #hasher: ChecksumHasher

  constructor(algorithm: ChecksumAlgorithm, size: number) {
    this.head = headOf(size)
    this.#name = checksumHeader(algorithm)
    this.#hasher = createChecksum(algorithm)
  }

  update(bytes: Uint8Array): void {
    this.#hasher.update(bytes)
  }

  /** After the bytes. */
  tail(): string {
    return tailOf(this.#name, this.#hasher.digest().toString('base64'))
  }
}

/**
 * The header of a request whose body of `size` bytes has a trailer. There is no Content-Encoding of `aws-chunked`: stores
 * see it in the SHA-256, and versitygw 1.8.0 would keep it with the object.
 */
export function trailerHeaders(algorithm: ChecksumAlgorithm, size = ''): Record<string, string> {
  const name = checksumHeader(algorithm)
  const value = 'A'.repeat(4 * Math.ceil(checksumBytes(algorithm) / 3))
  const framing = headOf(Number(size)).length + tailOf(name, value).length
  return {
    'content-length': String(Number(size) + framing),
    'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    'x-amz-decoded-content-length': size,
    'x-amz-trailer': name,
  }
}

function headOf(size: number): string {
  return `${size.toString(16)}\r\n`
}

function tailOf(name: string, value: string): string {
  return `\r\n0\r\n${name}:${value}\r\n\r\n`
}
