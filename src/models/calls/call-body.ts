import { isFormType } from '../../http/form-parser.ts'
import type { HttpRequest } from '../../http/message.ts'
import { BodyError, BodyReading } from '../../http/read-body.ts'
import { ApiError } from '../../json-api/api-error.ts'
import { withinTime } from '../../process/time-limit.ts'
import type { CallPath } from './call-paths.ts'
import { modelOfForm } from './form-model.ts'
import { modelOfJson } from './json-model.ts'
import { type ModelName, withModelName } from './model-name.ts'

/** The longest time without bytes. */
const idleMs = 30_000
/** A body this short is sent in one piece. */
const onePieceBytes = 64 * 1024
/** Bodies that wait for their answers, of one process, as many times the limit of one. */
const bodiesHeld = 8

/** The body of a call. */
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
    readonly body: Buffer | AsyncIterable<Buffer>
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
    const held = new HeldBytes((bytes) => this.#hold(bytes))
    try {
      const isWhole = await readUpTo(request, this.#maxBytes, held)
      if (!isWhole && kind === 'json') throw this.#tooLarge()
      const bytes = held.concat()
      const release = () => held.release()
      if (kind === 'json')
        return bodyOf({ request, bytes, found: modelOfJson(bytes), isWhole, release })
      const found = modelOfForm(bytes, type, isWhole)
      return bodyOf({ request, bytes, found, isWhole, release, checkRest: found.checkRest })
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

/** The pieces of one body, counted. */
class HeldBytes {
  readonly #count: (bytes: number) => void
  #pieces: Buffer[] = []
  size = 0

  /** @param count takes bytes of the common memory; a negative number gives them back */
  constructor(count: (bytes: number) => void) {
    this.#count = count
  }

  add(bytes: Buffer): void {
    this.#count(bytes.length)
    this.#pieces.push(bytes)
    this.size += bytes.length
  }

  concat(): Buffer {
    const whole = Buffer.concat(this.#pieces)
    this.#pieces = []
    return whole
  }

  release(): void {
    this.#count(-this.size)
    this.size = 0
  }
}

function assertType(type = '', kind: CallPath['body']): void {
  if (kind === 'json') {
    if (/^application\/json[\t ]*(?:;[\t ]*charset="?utf-?8"?[\t ]*)?$/i.test(type)) return
    throw new ApiError(415, 'The body must be application/json in UTF-8.')
  }
  if (!isFormType(type)) throw new ApiError(415, 'The body must be multipart/form-data.')
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
  const reading = new BodyReading(request.body, {
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
  readonly isWhole: boolean
  readonly release: () => void
  /** Checks what follows if it is not whole. @throws ApiError */
  readonly checkRest?: (bytes: Buffer) => void
}

function bodyOf({ request, bytes, found, isWhole, release, checkRest }: ReadBody): CallBody {
  // A long answer must not keep it.
  let held = bytes
  return {
    ...{ model: found.name, bytes: bytes.length, isWhole },
    send(name) {
      const pieces = withModelName(held, found, name)
      const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
      if (!isWhole) {
        const declared = request.headers['content-length']
        const total = declared === undefined ? undefined : Number(declared) + length - held.length
        return { body: followedBy(pieces, request, checkRest), length: total }
      }
      const isShort = length <= onePieceBytes
      const body = isShort ? Buffer.concat(pieces) : { [Symbol.asyncIterator]: () => each(pieces) }
      return { body, length }
    },
    release() {
      held = Buffer.alloc(0)
      release()
    },
  }
}

async function* each(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces
}

/** What was read, and the rest as it arrives. A failure leaves the connection, so that it can be answered. */
async function* followedBy(
  pieces: readonly Buffer[],
  { body }: HttpRequest,
  checkRest: ReadBody['checkRest'],
): AsyncIterable<Buffer> {
  yield* pieces
  const rest = body.iterator({ destroyOnReturn: false })
  for (;;) {
    const next = await withinTime(rest.next(), idleMs).catch((cause: unknown) => {
      throw new ApiError(408, 'The body did not arrive in time.', { cause })
    })
    if (next.done === true) return
    checkRest?.(next.value)
    yield next.value
  }
}
