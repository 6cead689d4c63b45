import { createHash, hash } from 'node:crypto'
import type { ChunkSeed } from '../body/signed-body.ts'
import { S3Error } from '../errors.ts'
import { isSameText } from '../sigv4/secret-match.ts'

const emptyHash = hash('sha256', '')

/**
 * Verifies the signatures of an aws-chunked body, each of which continues the one before
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html; for trailers
 * sigv4-streaming-trailers.html).
 */
export class ChunkSignatures {
  readonly #seed: ChunkSeed
  #previous: string
  #expected: string | undefined
  #data = createHash('sha256')

  constructor(seed: ChunkSeed) {
    this.#seed = seed
    this.#previous = seed.signature
  }

  /** Begins a chunk. @param extension what follows the size on its line. */
  begin(extension: string): void {
    this.#expected = /^;chunk-signature=([0-9a-f]{64})$/.exec(extension)?.[1]
    this.#data = createHash('sha256')
  }

  update(bytes: Uint8Array): void {
    this.#data.update(bytes)
  }

  /** Ends a chunk. @throws S3Error SignatureDoesNotMatch */
  end(): void {
    this.#verify('PAYLOAD', `${emptyHash}\n${this.#data.digest('hex')}`, this.#expected)
  }

  /** Ends the body. @throws S3Error SignatureDoesNotMatch */
  endTrailers(trailers: ReadonlyMap<string, string>): void {
    const lines = [...trailers]
      .filter(([name]) => name !== trailerSignature)
      .map(([name, value]) => `${name}:${value}\n`)
    const digest = hash('sha256', Buffer.from(lines.join(''), 'latin1'))
    this.#verify('TRAILER', digest, trailers.get(trailerSignature))
  }

  #verify(what: 'PAYLOAD' | 'TRAILER', digests: string, expected: string | undefined): void {
    const { key, amzDate, scope } = this.#seed
    const text = `AWS4-HMAC-SHA256-${what}\n${amzDate}\n${scope}\n${this.#previous}\n${digests}`
    const signature = key.signHex(text)
    if (expected === undefined || !isSameText(signature, expected)) {
      throw new S3Error('SignatureDoesNotMatch', 'The signature of a chunk or trailer is wrong.')
    }
    this.#previous = signature
  }
}

const trailerSignature = 'x-amz-trailer-signature'
