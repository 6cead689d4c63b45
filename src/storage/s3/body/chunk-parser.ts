/**
 * The `aws-chunked` content coding, signed or unsigned, with or without trailers
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html and
 * sigv4-streaming-trailers.html):
 *
 *     size[;chunk-signature=…] CRLF data CRLF … 0[;chunk-signature=…] CRLF [name:value CRLF …] CRLF
 *
 * Signatures of chunks are verified only with COMPATIBILITY=aws (docs/contract/object-storage.md, "aws-chunked bodies";
 * signed-body.ts). As AWS, this parser accepts minio clients, which end trailer lines with LF, and send an empty line
 * before x-amz-trailer-signature or a second one at the end.
 */

import { S3Error } from '../errors.ts'
import { withoutOuterSpace } from '../headers/request-fields.ts'
import type { ChunkSignatures } from './signed-body.ts'

const maxLineBytes = 1024 // a chunk line of SigV4 has at most 100 bytes
const maxTrailers = 16
const lineFeed = 0x0a

type State = 'size' | 'data' | 'data-end' | 'trailer' | 'after-trailer'

/** Decodes an `aws-chunked` body that arrives in pieces of any size. */
export class ChunkParser {
  #state: State = 'size'
  /** Bytes left in the current chunk. */
  #left = 0
  /** The beginning of an incomplete line. */
  #line = ''
  readonly #trailers = new Map<string, string>()
  readonly #signatures: ChunkSignatures | undefined

  /** @param signatures verifies signatures; absent: they are ignored */
  constructor(signatures?: ChunkSignatures) {
    this.#signatures = signatures
  }

  /** Trailers by lower-case name; complete after `end`. */
  get trailers(): ReadonlyMap<string, string> {
    return this.#trailers
  }

  /**
   * Takes the next bytes and returns their payload, as views of the same memory.
   *
   * @throws S3Error InvalidRequest if the framing is invalid; SignatureDoesNotMatch
   */
  feed(bytes: Buffer): Buffer[] {
    const payload: Buffer[] = []
    let offset = 0
    while (offset < bytes.length) {
      if (this.#state === 'data') {
        const slice = bytes.subarray(offset, offset + this.#left)
        payload.push(slice)
        offset += slice.length
        this.#left -= slice.length
        this.#signatures?.update(slice)
        if (this.#left === 0) this.#endData()
      } else {
        offset = this.#takeLine(bytes, offset)
      }
    }
    return payload
  }

  /**
   * Ends the body.
   *
   * @throws S3Error IncompleteBody if the final chunk or the end of the trailer is missing
   */
  end(): void {
    if (this.#state === 'after-trailer' && this.#line === '') return
    throw new S3Error('IncompleteBody', 'The aws-chunked body ends before its final chunk.')
  }

  /** Reads to the end of the line or of the bytes, and returns that position. */
  #takeLine(bytes: Buffer, offset: number): number {
    const feed = bytes.indexOf(lineFeed, offset)
    const end = feed < 0 ? bytes.length : feed + 1
    if (this.#line.length + end - offset > maxLineBytes) {
      throw broken(`a line is longer than ${maxLineBytes} bytes`)
    }
    this.#line += bytes.toString('latin1', offset, end)
    if (feed >= 0) {
      const line = this.#line
      this.#line = ''
      this.#readLine(line)
    }
    return end
  }

  #readLine(line: string): void {
    if (this.#state === 'size') this.#readSize(line)
    else if (this.#state === 'data-end') {
      if (line !== '\r\n') throw broken('the data of a chunk is not followed by CRLF')
      this.#state = 'size'
    } else this.#readTrailer(line.replace(/\r?\n$/, ''))
  }

  #readSize(line: string): void {
    const [, hex, extension = ''] = /^([0-9a-f]{1,16})(;[^\r\n]*)?\r\n$/i.exec(line) ?? []
    const size = hex === undefined ? Number.NaN : Number.parseInt(hex, 16)
    if (!Number.isSafeInteger(size)) throw broken('expected a chunk size in hexadecimal and CRLF')
    this.#left = size
    this.#state = 'data'
    this.#signatures?.begin(extension)
    if (size === 0) this.#endData('trailer')
  }

  #endData(next: State = 'data-end'): void {
    this.#signatures?.end()
    this.#state = next
  }

  #readTrailer(line: string): void {
    if (line === '') {
      this.#state = 'after-trailer'
      return
    }
    const [, name, field] = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([^\r]*)$/.exec(line) ?? []
    const isLate = this.#state === 'after-trailer' && !/^x-amz-trailer-signature$/i.test(name ?? '')
    if (name === undefined || field === undefined || isLate) {
      throw broken('only trailers may follow the final chunk')
    }
    if (this.#trailers.size === maxTrailers) throw broken(`more than ${maxTrailers} trailers`)
    if (this.#trailers.has(name.toLowerCase())) throw broken('a trailer is sent twice')
    this.#trailers.set(name.toLowerCase(), withoutOuterSpace(field))
    this.#state = 'trailer'
  }
}

function broken(what: string): S3Error {
  return new S3Error('InvalidRequest', `The aws-chunked body is malformed: ${what}.`)
}
