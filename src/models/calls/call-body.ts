import type { HttpRequest } from '../../platform/http/message.ts'
import { BodyError, BodyReading } from '../../platform/http/read-body.ts'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { withinTime } from '../../platform/process/time-limit.ts'
import type { CallPath } from './call-paths.ts'
import { FormModel } from './form-model.ts'
import { JsonModel, type ModelFinder, type ModelName, withModelName } from './model-name.ts'

/** The longest time without bytes. */
const idleMs = 30_000
/** A body this short is sent in one piece. */
const onePieceBytes = 64 * 1024
const smallBlockBytes = 4 * 1024
const blockBytes = 64 * 1024
/** Bodies that wait for their answers, of one process, as many times the limit of one. */
const bodiesHeld = 8

export interface CallBody {
  /** The model that the client asks for. */
  readonly model: string
  /** Bytes of it so far. */
  readonly bytes: number
  /** Whether it can be sent again. */
  readonly isWhole: boolean
  /**
   * The body with the upstream's name of the model. If it is whole, its pieces can be read again and again.
   *
   * @returns also its length; undefined if it is sent in chunks
   */
  send(name: string): {
    readonly body: AsyncIterable<Buffer>
    readonly length: number | undefined
  }
  /** Gives its memory back. May be called again. */
  release(): void
}

/** Reads the bodies of calls, within the memory that they may have together. */
export class CallBodies {
  readonly #maxBytes: number
  #heldBytes = 0

  /** @param maxBytes of one body that is held: JSON has no more, forms go on beyond */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** @throws ApiError 400, 408, 413, 415 or 503; the rest of the body stays unread */
  async read(request: HttpRequest, { body: kind }: Pick<CallPath, 'body'>): Promise<CallBody> {
    const { 'content-type': type, 'content-length': declared } = request.headers
    assertType(type, kind)
    assertPlain(request.headers['content-encoding'])
    if (kind === 'json' && Number(declared ?? 0) > this.#maxBytes) throw this.#tooLarge()
    const finder = kind === 'json' ? new JsonModel() : new FormModel(type)
    const held = new HeldBytes((bytes) => this.#hold(bytes), finder)
    try {
      const isWhole = await readUpTo(request, this.#maxBytes, held)
      if (!isWhole && kind === 'json') throw this.#tooLarge()
      const bytes = held.concat()
      const found = finder.find(bytes, isWhole)
      return bodyOf({ request, bytes, found, finder, isWhole, release: () => held.release() })
    } catch (error) {
      held.release()
      throw error
    }
  }

  #hold(bytes: number): void {
    if (bytes > 0 && this.#heldBytes + bytes > bodiesHeld * this.#maxBytes) {
      const headers = { 'retry-after': '1' }
      throw new ApiError(503, 'Too many large calls at the same time. Try again later.', {
        headers,
      })
    }
    this.#heldBytes += bytes
  }

  #tooLarge(): ApiError {
    const mib = Math.floor(this.#maxBytes / 1024 / 1024)
    return new ApiError(413, `The body has more than ${mib} MiB (MODELS_BODY_MIB).`)
  }
}

const none: Buffer = Buffer.alloc(0)

/** The bytes of one body, counted. In blocks: a client may send each byte as a chunk, which would be an object. */
class HeldBytes {
  readonly #count: (bytes: number) => void
  readonly #finder: ModelFinder
  #blocks: Buffer[] = []
  #block = none
  /** Of the last block. */
  #filled = 0
  size = 0

  /** @param count takes bytes of the common memory; a negative number gives them back */
  constructor(count: (bytes: number) => void, finder: ModelFinder) {
    this.#count = count
    this.#finder = finder
  }

  /** @throws ApiError */
  add(bytes: Buffer): void {
    this.#count(bytes.length)
    this.size += bytes.length
    for (let at = 0; at < bytes.length; ) {
      if (this.#filled === this.#block.length) {
        // The first one is for small calls.
        const isSmall = this.size <= smallBlockBytes
        this.#nextBlock(Buffer.allocUnsafe(isSmall ? smallBlockBytes : blockBytes))
      }
      const copied = bytes.copy(this.#block, this.#filled, at)
      this.#filled += copied
      at += copied
    }
  }

  /** @throws ApiError */
  concat(): Buffer {
    this.#nextBlock(none)
    const whole = Buffer.concat(this.#blocks)
    this.#blocks = []
    return whole
  }

  #nextBlock(next: Buffer): void {
    const block = this.#block.subarray(0, this.#filled)
    this.#block = next
    this.#filled = 0
    this.#blocks.push(block)
    this.#finder.take(block)
  }

  release(): void {
    this.#count(-this.size)
    this.size = 0
  }
}

const jsonType = /^application\/json[\t ]*(?:;[\t ]*charset="?utf-?8"?[\t ]*)?$/i
/**
 * With one boundary in one form (RFC 2046 section 5.1.1): of two, or of one that looks like another parameter, parsers
 * choose differently, and would see other fields than we do.
 */
const formType =
  /^multipart\/form-data[\t ]*(?:;[\t ]*charset="?utf-?8"?[\t ]*)?;[\t ]*boundary=(?:"[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]"|[\w'()+,./:=?-]{1,70})[\t ]*(?:;[\t ]*charset="?utf-?8"?[\t ]*)?$/i

function assertType(type = '', kind: CallPath['body']): void {
  if (kind === 'json' && !jsonType.test(type))
    throw new ApiError(415, 'The body must be application/json in UTF-8.')
  if (kind === 'form' && !formType.test(type))
    throw new ApiError(415, 'The body must be multipart/form-data with one boundary.')
}

/** Otherwise an upstream could read another model than we do. */
function assertPlain(encoding = 'identity'): void {
  if (encoding.toLowerCase() === 'identity') return
  throw new ApiError(415, 'The body must not have a Content-Encoding.')
}

/** Reads a body until it ends, or has more than these bytes. Returns whether it has ended. */
async function readUpTo(request: HttpRequest, maxBytes: number, held: HeldBytes): Promise<boolean> {
  const enough = Promise.withResolvers<void>()
  request.acceptBody()
  const reading = new BodyReading(request, {
    idleTimeoutMs: idleMs,
    take(bytes) {
      held.add(bytes)
      if (held.size <= maxBytes) return undefined
      enough.resolve()
      // The next piece waits.
      return new Promise(() => undefined)
    },
  })
  try {
    return await Promise.race([reading.done.then(() => true), enough.promise.then(() => false)])
  } catch (error) {
    if (!(error instanceof BodyError)) throw error
    const isGone = error.kind === 'gone'
    const message = isGone
      ? 'The connection ended before the end of the body.'
      : 'The body did not arrive in time.'
    throw new ApiError(isGone ? 400 : 408, message)
  } finally {
    reading.stop()
  }
}

interface ReadBody {
  readonly request: HttpRequest
  readonly bytes: Buffer
  readonly found: ModelName
  /** Checks what follows if it is not whole. */
  readonly finder: ModelFinder
  readonly isWhole: boolean
  readonly release: () => void
}

function bodyOf({ request, bytes, found, finder, isWhole, release }: ReadBody): CallBody {
  // A long answer must not keep it. The client of the upstream keeps what it is given, so that has no bytes in it.
  let held = bytes
  return {
    ...{ model: found.name, bytes: bytes.length, isWhole },
    send(name) {
      const piecesOf = () => withModelName(held, found, name)
      const length = piecesOf().reduce((sum, piece) => sum + piece.length, 0)
      const declared = isWhole ? held.length : request.headers['content-length']
      return {
        length: declared === undefined ? undefined : Number(declared) + length - held.length,
        body: {
          async *[Symbol.asyncIterator]() {
            if (length <= onePieceBytes) yield Buffer.concat(piecesOf())
            else yield* piecesOf()
            if (!isWhole) yield* restOf(request, finder)
          },
        },
      }
    },
    release() {
      held = none
      release()
    },
  }
}

/** What follows, as it arrives. A failure leaves the connection, so that it can be answered. */
async function* restOf({ body }: HttpRequest, finder: ModelFinder): AsyncIterable<Buffer> {
  const rest = body.iterator({ destroyOnReturn: false })
  for (;;) {
    const next = await withinTime(rest.next(), idleMs).catch((cause: unknown) => {
      throw new ApiError(408, 'The body did not arrive in time.', { cause })
    })
    if (next.done === true) return
    finder.take(next.value)
    yield next.value
  }
}
