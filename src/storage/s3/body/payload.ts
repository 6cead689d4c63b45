/** The only code that turns the body of a request into verified bytes. */

import type { IncomingHttpHeaders } from 'node:http'
import {
  type ChecksumAlgorithm,
  checksumBytes,
  checksumHeader,
} from '../../../platform/checksums/checksum.ts'
import type { HttpRequest } from '../../../platform/http/message.ts'
import { BodyError, BodyReading } from '../../../platform/http/read-body.ts'
import { freeMemory } from '../../../platform/process/buffers.ts'
import type { Compatibility } from '../compatibility.ts'
import { S3Error } from '../errors.ts'
import {
  type ExpectedDigests,
  expectedDigests,
  isDigest,
  notAChecksum,
} from '../headers/checksum-headers.ts'
import { ChunkParser } from './chunk-parser.ts'
import {
  type BodyWriter,
  type PayloadDigest,
  type PayloadSink,
  PayloadWriter,
} from './payload-writer.ts'
import {
  ChunkSignatures,
  hasSignedChunks,
  type SignedBody,
  sha256Of,
  signedBodyOf,
  signedTrailers,
} from './signed-body.ts'
import { ThreadedWriter } from './threaded-writer.ts'

/** Smaller payloads are digested in this thread: sending their blocks to another one costs more than it saves. */
const threadedBytes = 1024 * 1024

export interface PayloadOptions {
  /** The number of bytes that the request declares (`declaredSize`). */
  readonly size: number | undefined
  /** The digests to verify. Default: those in the headers. */
  readonly expected?: ExpectedDigests
  /** A checksum to compute even if none was sent. A sent checksum of another algorithm is refused. */
  readonly algorithm?: ChecksumAlgorithm | undefined
  /** Maximum time without a byte. Default: 60,000. */
  readonly idleTimeoutMs?: number
}

/**
 * Reads the body of a request into a sink: decodes `aws-chunked`, verifies the length, Content-MD5 and x-amz-checksum-*,
 * and with COMPATIBILITY=aws the payload hash and the signatures of chunks. A missing body is empty. Memory is bounded
 * for any size. On rejection, part of the body may have been written, but no write is in progress, and the rest is unread.
 *
 * @throws S3Error BadDigest, InvalidDigest, InvalidRequest, InvalidArgument, IncompleteBody,
 *   RequestTimeout, XAmzContentSHA256Mismatch, SignatureDoesNotMatch; and whatever the sink rejects with.
 */
export async function readPayload(
  request: HttpRequest,
  sink: PayloadSink,
  options: PayloadOptions,
): Promise<PayloadDigest> {
  const { size, expected = expectedDigests(request.headers), idleTimeoutMs = 60_000 } = options
  const algorithm = checksumToCompute(expected, options.algorithm)
  request.acceptBody()
  const signed = signedBodyOf(request)
  const sha256 = signed === undefined ? undefined : sha256Of(signed)
  const chunks = isAwsChunked(request.headers) ? chunkReader(signed) : undefined
  const isLarge = size === undefined || size >= threadedBytes
  // The thread does not load XXHASH, which is fast.
  const isThreaded = isLarge && !algorithm?.startsWith('XXHASH')
  const Writer = isThreaded ? ThreadedWriter : PayloadWriter
  // Holds a thread and memory until `idle`.
  const writer = new Writer(sink, algorithm, size, sha256 !== undefined)
  const parser = chunks?.parser
  const pump = new Pump(writer, parser, size)
  const reading = new BodyReading(request, {
    idleTimeoutMs,
    take: (bytes) => pump.take(bytes),
  })
  try {
    await reading.done
    pump.end()
    chunks?.verifyTrailers()
    const digest = await writer.finish()
    verifyPayloadHash(digest, sha256)
    verifyDigest(digest, expected, parser?.trailers)
    return digest
  } catch (error) {
    throw bodyFailure(error)
  } finally {
    await writer.idle()
  }
}

/** The decoder of an aws-chunked body, which verifies its signatures. */
function chunkReader(signed: SignedBody | undefined) {
  const { payloadHash, seed } = signed ?? {}
  if (!hasSignedChunks(payloadHash)) {
    return { parser: new ChunkParser(), verifyTrailers: () => undefined }
  }
  // A Version 2 signature cannot be continued by chunks.
  if (seed === undefined) throw new S3Error('SignatureDoesNotMatch')
  const signatures = new ChunkSignatures(seed)
  const parser = new ChunkParser(signatures)
  const verifyTrailers = () => {
    if (payloadHash === signedTrailers) signatures.endTrailers(parser.trailers)
  }
  return { parser, verifyTrailers }
}

/** @throws S3Error XAmzContentSHA256Mismatch, with AWS's elements. */
function verifyPayloadHash({ sha256Hex }: PayloadDigest, expected: string | undefined): void {
  if (expected === undefined || sha256Hex === undefined || sha256Hex === expected) return
  throw new S3Error('XAmzContentSHA256Mismatch', undefined, {
    elements: { ClientComputedContentSHA256: expected, S3ComputedContentSHA256: sha256Hex },
  })
}

/** Converts an error of reading a body to that of the reply. */
export function bodyFailure(error: unknown): unknown {
  return error instanceof BodyError ? toS3Error(error) : error
}

function toS3Error({ kind, cause }: BodyError): S3Error {
  // The file of a form is destroyed with the error for the client.
  if (cause instanceof S3Error) return cause
  if (kind !== 'gone') return new S3Error('RequestTimeout')
  const message = 'The connection ended before the complete body had arrived.'
  return new S3Error('IncompleteBody', message, { cause })
}

/**
 * The number of bytes that a request declares; undefined if it declares none. A decoded length always counts so that a
 * framed body that is not recognized is not stored with its framing.
 *
 * @throws S3Error InvalidArgument if a length is not a number
 */
export function declaredSize(request: HttpRequest): number | undefined {
  const { headers } = request
  const decoded = headers['x-amz-decoded-content-length']
  if (decoded !== undefined) return length(decoded)
  const plain = headers['content-length']
  return plain === undefined || isAwsChunked(headers) ? undefined : length(plain)
}

/**
 * As `declaredSize`, for a request that must have a body.
 *
 * @throws S3Error MissingContentLength without a body, and on AWS for a body without a length
 */
export function requiredSize(
  request: HttpRequest,
  { requiredLengths }: Pick<Compatibility, 'requiredLengths'>,
): number | undefined {
  if (!hasBody(request.headers)) throw new S3Error('MissingContentLength')
  const size = declaredSize(request)
  if (size === undefined && requiredLengths) throw new S3Error('MissingContentLength')
  return size
}

/** Whether a request has a body, possibly an empty one (RFC 9112 section 6.3). */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/** Passes the payload of a body to the writer and checks its size. */
class Pump {
  readonly #writer: BodyWriter
  readonly #parser: ChunkParser | undefined
  readonly #size: number | undefined
  #total = 0

  constructor(writer: BodyWriter, parser: ChunkParser | undefined, size: number | undefined) {
    this.#writer = writer
    this.#parser = parser
    this.#size = size
  }

  /** Takes a piece of the body. */
  take(bytes: Buffer): Promise<void> | undefined {
    const slices = this.#parser === undefined ? [bytes] : this.#parser.feed(bytes)
    for (const [index, slice] of slices.entries()) {
      const writing = this.#write(slice)
      if (writing !== undefined) return this.#wait(writing, slices.slice(index + 1), bytes)
    }
    this.#free(bytes)
    return undefined
  }

  /** @throws S3Error IncompleteBody */
  end(): void {
    this.#parser?.end()
    const size = this.#size
    if (size === undefined || this.#total === size) return
    throw new S3Error(
      'IncompleteBody',
      `The body has ${this.#total} bytes; its declared length is ${size} bytes.`,
    )
  }

  async #wait(writing: Promise<void>, rest: readonly Buffer[], bytes: Buffer): Promise<void> {
    await writing
    for (const slice of rest) await this.#write(slice)
    this.#free(bytes)
  }

  #write(slice: Buffer): Promise<void> | undefined {
    this.#total += slice.length
    const size = this.#size
    if (size !== undefined && this.#total > size) {
      throw new S3Error(
        'IncompleteBody',
        `The body is longer than the declared length of ${size} bytes.`,
      )
    }
    return this.#writer.write(slice)
  }

  /** The writer has copied the bytes, unless they are the whole payload. */
  #free(bytes: Buffer): void {
    if (this.#size === undefined || bytes.length < this.#size) freeMemory(bytes)
  }
}

/**
 * Content-Encoding does not count: it may name `aws-chunked` for a plain body, which S3 stores as it is
 * (docs/contract/object-storage.md, "aws-chunked bodies").
 */
function isAwsChunked(headers: IncomingHttpHeaders): boolean {
  const payloadHash = headers['x-amz-content-sha256']
  return typeof payloadHash === 'string' && payloadHash.startsWith('STREAMING-')
}

function length(header: string | string[]): number {
  const size = typeof header === 'string' && /^\d{1,16}$/.test(header) ? Number(header) : Number.NaN
  if (Number.isSafeInteger(size)) return size
  throw new S3Error(
    'InvalidArgument',
    'The declared length of the body is not a valid number of bytes.',
  )
}

function checksumToCompute(
  { checksum }: ExpectedDigests,
  wanted: ChecksumAlgorithm | undefined,
): ChecksumAlgorithm | undefined {
  if (checksum === undefined || wanted === undefined) return checksum?.algorithm ?? wanted
  if (checksum.algorithm === wanted) return wanted
  throw new S3Error(
    'InvalidRequest',
    `Checksum Type mismatch occurred, expected checksum Type: ${wanted}, actual checksum Type: ${checksum.algorithm}`,
  )
}

function verifyDigest(
  digest: PayloadDigest,
  expected: ExpectedDigests,
  trailers: ReadonlyMap<string, string> = new Map(),
): void {
  if (expected.md5Hex !== undefined && expected.md5Hex !== digest.md5Hex) {
    throw new S3Error('BadDigest', 'The Content-MD5 you specified did not match what we received.')
  }
  const value = expectedValue(expected, trailers)
  if (value !== undefined && value !== digest.checksum?.value) {
    const { algorithm } = digest.checksum ?? {}
    throw new S3Error(
      'BadDigest',
      `The ${algorithm} you specified did not match the calculated checksum.`,
    )
  }
}

function expectedValue(
  { checksum }: ExpectedDigests,
  trailers: ReadonlyMap<string, string>,
): string | undefined {
  const name = checksum === undefined ? undefined : checksumHeader(checksum.algorithm)
  for (const other of trailers.keys()) {
    if (other.startsWith('x-amz-checksum-') && (other !== name || checksum?.value !== undefined)) {
      throw new S3Error(
        'InvalidRequest',
        `The trailer ${other} was not announced by x-amz-trailer.`,
      )
    }
  }
  if (checksum === undefined || name === undefined) return undefined
  const value = checksum.value ?? trailers.get(name)
  if (value === undefined) {
    throw new S3Error('InvalidRequest', `The trailer ${name} was announced but not sent.`)
  }
  if (!isDigest(value, checksumBytes(checksum.algorithm))) {
    throw notAChecksum(`${name} trailing header`)
  }
  return value
}
