import { createHash, hash } from 'node:crypto'
import type { HttpRequest } from '../../../platform/http/message.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import { type HmacSha256Key, isSameText } from '../sigv4/signing-key.ts'

/** The signature of a request, which the signatures of its chunks continue. */
interface ChunkSeed {
  readonly key: HmacSha256Key
  readonly amzDate: string
  /** `day/region/s3/aws4_request`. */
  readonly scope: string
  readonly signature: string
}

/** What the signature of a request says about its body. */
export interface SignedBody {
  /** x-amz-content-sha256 as sent; undefined if missing. */
  readonly payloadHash: string | undefined
  /** Absent in Signature Version 2. */
  readonly seed?: ChunkSeed
}

/** Keyed by request so that no reader of a body can forget to verify it. */
const signedBodies = new WeakMap<HttpRequest, SignedBody>()

/** Makes `readPayload` verify the body of this request. */
export function verifyWhenRead(request: HttpRequest, body: SignedBody): void {
  signedBodies.set(request, body)
}

/** Undefined if there is nothing to verify. */
export function signedBodyOf(request: HttpRequest): SignedBody | undefined {
  return signedBodies.get(request)
}

const unsignedPayload = 'UNSIGNED-PAYLOAD'
const signedChunks = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'
export const signedTrailers = `${signedChunks}-TRAILER`
const streams: ReadonlySet<string> = new Set([
  signedChunks,
  signedTrailers,
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
])

/** Whether the chunks of a body with this payload hash are signed. */
export function hasSignedChunks(payloadHash: string | undefined): boolean {
  return payloadHash === signedChunks || payloadHash === signedTrailers
}

/** The SHA-256 that a body must have, in lower-case hexadecimal; undefined if none is declared. */
export function sha256Of({ payloadHash = '' }: SignedBody): string | undefined {
  return /^[0-9a-f]{64}$/i.test(payloadHash) ? payloadHash.toLowerCase() : undefined
}

/**
 * Checks that the payload hash has one of the forms of
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html, except Signature Version 4A.
 *
 * @throws S3Error InvalidArgument for any other value
 */
export function checkedBody(body: SignedBody): SignedBody {
  const { payloadHash } = body
  if (payloadHash === undefined || payloadHash === unsignedPayload) return body
  if (streams.has(payloadHash) || sha256Of(body) !== undefined) return body
  throw invalidArgument(
    'x-amz-content-sha256',
    payloadHash,
    `x-amz-content-sha256 must be ${unsignedPayload}, ${[...streams].join(', ')} or a valid SHA-256 value.`,
  )
}

const emptyHash = hash('sha256', '')

/**
 * Verifies the signatures of an aws-chunked body, each of which continues the previous one
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
