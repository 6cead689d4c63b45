import type { HttpRequest } from '../../platform/http/message.ts'
import { BodyError, BodyReading } from '../../platform/http/read-body.ts'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { withinTime } from '../../platform/process/time-limit.ts'
import { parsedJson } from '../../platform/text/json-text.ts'
import { BodyMemory, HeldBytes, smallBlockBytes } from './body-memory.ts'
import type { CallPath } from './call-paths.ts'
import { FormModel } from './form-model.ts'
import {
  type BodyField,
  JsonModel,
  type ModelFinder,
  type ModelName,
  withModelName,
} from './model-name.ts'

/** The maximum time without bytes. */
const idleMs = 30_000
/** Bodies up to this size are sent in one piece. */
const onePieceBytes = 64 * 1024
/** The maximum bytes of a field that is parsed. */
const maxValueBytes = 4 * 1024

/** Reads fields of a JSON body, as long as it is held. */
export interface BodyFields {
  /** The bytes of a field; undefined if there is none, and for a form. */
  bytes(name: BodyField): Buffer | undefined
  /** The value of a field of at most 4 KiB. */
  value(name: BodyField): unknown
}

export interface CallBody {
  readonly fields: BodyFields
  /** The model that the client asks for. */
  readonly model: string
  /** Bytes that have arrived so far. */
  readonly bytes: number
  /** Whether all of it is held, so that it can be sent again. */
  readonly isWhole: boolean
  /**
   * The body with another name of the model. If it is whole, it can be read any number of times.
   *
   * @returns the body, and its length; undefined if it is sent in chunks
   */
  send(name: string): {
    readonly body: AsyncIterable<Buffer> | Buffer
    readonly length: number | undefined
  }
  /** The value of a JSON body. @throws ApiError 413 or 503 if that needs too much memory */
  parsed(): unknown
  /** Frees its memory. May be called again. */
  release(): void
}

/** Of a request without a body, about a stored response of this model. */
export function noBody(model: string): CallBody {
  return {
    ...{ model, bytes: 0, isWhole: true },
    fields: { bytes: () => undefined, value: () => undefined },
    parsed: () => undefined,
    send: () => ({ body: none, length: 0 }),
    release: () => undefined,
  }
}

/** Reads the bodies of calls, within a common limit of memory. */
export class CallBodies {
  readonly #maxBytes: number
  readonly #memory: BodyMemory
  readonly #addressOf: (request: HttpRequest) => string

  /**
   * @param maxBytes the limit of a JSON body; of a larger form, only the beginning is held
   * @param addressOf the address of a client
   */
  constructor(maxBytes: number, addressOf: (request: HttpRequest) => string) {
    this.#maxBytes = maxBytes
    this.#memory = new BodyMemory(maxBytes)
    this.#addressOf = addressOf
  }

  /**
   * @param keyId whose memory is used
   * @throws ApiError 400, 408, 413, 415, 429 or 503; the rest of the body stays unread
   */
  async read(
    request: HttpRequest,
    { body: kind }: Pick<CallPath, 'body'>,
    keyId: string,
  ): Promise<CallBody> {
    const { 'content-type': type, 'content-length': declared } = request.headers
    assertType(type, kind)
    assertPlain(request.headers['content-encoding'])
    if (kind === 'json' && Number(declared ?? 0) > this.#maxBytes) throw this.#tooLarge()
    const finder = kind === 'json' ? new JsonModel() : new FormModel(type)
    const hold = this.#memory.holder(keyId, this.#addressOf(request))
    const held = new HeldBytes(hold, (bytes) => finder.take(bytes))
    try {
      const isWhole = await readUpTo(request, this.#maxBytes, held)
      if (!isWhole && kind === 'json') throw this.#tooLarge()
      const bytes = held.concat()
      const found = finder.find(bytes, isWhole)
      return bodyOf({ request, bytes, found, finder, isWhole, held })
    } catch (error) {
      held.release()
      throw error
    }
  }

  #tooLarge(): ApiError {
    const mib = Math.floor(this.#maxBytes / 1024 / 1024)
    const message = `The body is larger than ${mib} MiB (MODELS_BODY_MIB). Send less, or ask the operator for more.`
    return new ApiError(413, message)
  }
}

const none: Buffer = Buffer.alloc(0)

const jsonType = /^application\/json[\t ]*(?:;[\t ]*charset="?utf-?8"?[\t ]*)?$/i
/**
 * Exactly one boundary, in one form (RFC 2046 section 5.1.1). If there are two, or one looks like another parameter,
 * parsers differ in which they use, and would see other fields than we do.
 */
const formType =
  /^multipart\/form-data[\t ]*(?:;[\t ]*charset="?utf-?8"?[\t ]*)?;[\t ]*boundary=(?:"[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]"|[\w'()+,./:=?-]{1,70})[\t ]*(?:;[\t ]*charset="?utf-?8"?[\t ]*)?$/i

function assertType(type = '', kind: CallPath['body']): void {
  if (kind === 'json' && !jsonType.test(type))
    throw new ApiError(415, 'The body must be application/json in UTF-8.')
  if (kind === 'form' && !formType.test(type))
    throw new ApiError(415, 'The body must be multipart/form-data with one boundary.')
}

/** Otherwise the upstream might read a different model name than we do. */
function assertPlain(encoding = 'identity'): void {
  if (encoding.toLowerCase() === 'identity') return
  throw new ApiError(415, 'The body must not have a Content-Encoding.')
}

/** Reads a body until it ends or exceeds `maxBytes`. Returns whether it has ended. */
async function readUpTo(request: HttpRequest, maxBytes: number, held: HeldBytes): Promise<boolean> {
  const enough = Promise.withResolvers<void>()
  request.acceptBody()
  const reading = new BodyReading(request, {
    idleTimeoutMs: idleMs,
    take(bytes) {
      held.add(bytes)
      if (held.size <= maxBytes) return undefined
      enough.resolve()
      // Never resolves: the rest stays unread.
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
  /** Checks the rest of a body that is not whole. */
  readonly finder: ModelFinder
  readonly isWhole: boolean
  /** What it holds of the common memory. */
  readonly held: HeldBytes
}

function bodyOf({ request, bytes, found, finder, isWhole, held: memory }: ReadBody): CallBody {
  // undici keeps the body until the answer ends, which may take hours, so a larger one must not contain the bytes itself.
  let held = bytes
  let isParsed = false
  const bytesOf = (name: BodyField) => {
    const range = finder.rangeOf?.(name)
    return range === undefined ? undefined : withoutSpace(held.subarray(...range))
  }
  return {
    ...{ model: found.name, bytes: bytes.length, isWhole },
    fields: {
      bytes: bytesOf,
      value(name) {
        const text = bytesOf(name)
        return text === undefined || text.length > maxValueBytes
          ? undefined
          : parsedJson(text.toString())
      },
    },
    send(name) {
      const piecesOf = () => withModelName(held, found, name)
      const length = piecesOf().reduce((sum, piece) => sum + piece.length, 0)
      // So few bytes may be kept.
      if (isWhole && length <= smallBlockBytes) return { body: Buffer.concat(piecesOf()), length }
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
    parsed() {
      if (finder.isSimple !== true) {
        throw new ApiError(
          413,
          'The body has too many values, or is nested too deeply, to be translated.',
        )
      }
      // The texts of the value, and the body that is made of it, for one target after the other.
      if (!isParsed) memory.reserve(2 * held.length)
      isParsed = true
      return JSON.parse(held.toString())
    },
    release() {
      held = none
      memory.release()
    },
  }
}

const space: ReadonlySet<number | undefined> = new Set(Buffer.from(' \t\r\n'))

/** JSON without the white space around it, which would make a short value look long. */
function withoutSpace(json: Buffer): Buffer {
  let [start, end] = [0, json.length]
  while (start < end && space.has(json[start])) start += 1
  while (start < end && space.has(json[end - 1])) end -= 1
  return json.subarray(start, end)
}

/** The rest of a body, as it arrives. If reading fails, the connection stays open for an error reply. */
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
