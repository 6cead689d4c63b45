import type { HttpRequest } from '../../platform/http/message.ts'
import { ApiError, errorFormatOf } from '../../platform/json-api/api-error.ts'
import { modelsErrorFormats } from '../list/models-error-format.ts'
import type { CallTarget } from '../list/resolve-model.ts'
import { clientError, errorOfBody } from '../translation/read-answer.ts'
import {
  estimatedTokens,
  refusedField,
  Translation,
  UnreadableAnswer,
} from '../translation/translation.ts'
import type { Attempt, BegunAnswer, ErrorAnswer } from './attempt.ts'
import type { CallBody } from './call-body.ts'
import type { CallPath } from './call-paths.ts'
import { failureWithout } from './failures/failures.ts'
import {
  maxAnswerBytes,
  type TranslatedAnswer,
  TranslatedStream,
  tooLarge,
} from './translated-stream.ts'
import { clientApis, type TranslatedTarget } from './translated-targets.ts'

/** Fields with values that models of upstreams refuse. The oldest are forgotten. */
export class RefusedFields {
  readonly #known = new Map<string, ReadonlySet<string>>()

  of(target: CallTarget): ReadonlySet<string> {
    return this.#known.get(keyOf(target)) ?? new Set()
  }

  add(target: CallTarget, more: ReadonlySet<string>): void {
    if (more.size === 0) return
    const fields = new Set([...more, ...this.of(target)].slice(0, maxFields))
    this.#known.delete(keyOf(target))
    this.#known.set(keyOf(target), fields)
    const [oldest] = this.#known.keys()
    if (this.#known.size > maxKnown && oldest !== undefined) this.#known.delete(oldest)
  }
}

const maxKnown = 1_000
const maxFields = 50
const keyOf = ({ connection, ownId }: CallTarget) => JSON.stringify([connection.id, ownId])

const brokenOff = 'The answer of the upstream broke off.'

interface TranslatedCallParts {
  readonly target: TranslatedTarget
  readonly path: CallPath
  readonly request: Pick<HttpRequest, 'rawPath' | 'signal'>
  readonly body: CallBody
  readonly refused: RefusedFields
  readonly maxOutput: number | undefined
  readonly nowMs: number
}

/** One call of a client at a target of another API. */
export class TranslatedCall {
  readonly #parts: TranslatedCallParts
  readonly #json: unknown
  #translation: Translation
  /** What the upstream refused during this call. */
  readonly #refused = new Set<string>()

  /** @throws ApiError 400 that names what cannot be translated */
  constructor(parts: TranslatedCallParts) {
    this.#parts = parts
    this.#json = parts.body.parsed()
    this.#translation = this.#translate()
  }

  #translate(): Translation {
    const { target, path, refused, maxOutput, nowMs } = this.#parts
    return new Translation(this.#json, {
      ...{ client: clientApis.get(path.path) ?? 'chat', upstream: target.api },
      ...{ model: target.ownId, maxOutput, provider: target.connection.provider },
      ...{
        nowSeconds: Math.floor(nowMs / 1_000),
        refused: new Set([...refused.of(target), ...this.#refused]),
      },
    })
  }

  /** The body for the upstream. undici keeps it until the answer ends, so it must not contain the bytes itself. */
  send(): ReturnType<CallBody['send']> {
    const { body } = this.#translation
    let held: Buffer | undefined = body
    const pieces = async function* () {
      if (held !== undefined) yield held
    }
    this.release = () => {
      held = undefined
    }
    return { body: { [Symbol.asyncIterator]: pieces }, length: body.length }
  }

  release: () => void = () => undefined

  /** Whether the call can be sent again without a field that the upstream refused. */
  learns(made: Attempt): boolean {
    if ('begun' in made || made.answer === undefined) return false
    const { status, body } = made.answer
    if (status !== 400 && status !== 422) return false
    const field = refusedField(this.#translation, errorOfBody(body.toString()))
    if (field === undefined || this.#refused.has(field)) return false
    this.#refused.add(field)
    this.#translation = this.#translate()
    return true
  }

  /** The result of an attempt, for the client. */
  async finish(made: Attempt): Promise<Attempt> {
    if ('failure' in made) {
      return made.answer === undefined ? made : { ...made, answer: this.#error(made.answer) }
    }
    this.release()
    // An error can quote the request: only a success without the field shows that it was the reason.
    this.#parts.refused.add(this.#parts.target, this.#refused)
    const { begun } = made
    const fields = this.#fields()
    if (!begun.isStream) return await this.#whole(begun, fields)
    const stream = new TranslatedStream(this.#translation.stream())
    const headers = { ...begun.headers, 'content-type': 'text/event-stream; charset=utf-8' }
    return { begun: { ...begun, headers, translated: { fields, stream } } }
  }

  /** The number of tokens of a call of `/messages/count_tokens`, which no other API has. */
  counted(): Attempt {
    const tokens = estimatedTokens(this.#json, this.#parts.target.connection.provider)
    const fields = [...this.#fields(), ['x-bucketry-estimated', 'input_tokens'] as const]
    return {
      begun: begunJson(200, {}, Buffer.from(JSON.stringify({ input_tokens: tokens })), fields),
    }
  }

  async #whole(begun: BegunAnswer, fields: TranslatedAnswer['fields']): Promise<Attempt> {
    try {
      const bytes = await wholeBody(begun)
      const body = this.#translation.answer(bytes)
      const made = begunJson(begun.status, begun.headers, body, fields)
      const type = this.#translation.isStream
        ? 'text/event-stream; charset=utf-8'
        : 'application/json'
      return {
        begun: {
          ...made,
          isStream: this.#translation.isStream,
          headers: { ...made.headers, 'content-type': type },
        },
      }
    } catch (error) {
      this.#parts.request.signal.throwIfAborted()
      const reason = error instanceof UnreadableAnswer ? error.message : brokenOff
      return { failure: failureWithout('failed', 502, reason), answer: undefined }
    } finally {
      begun.end()
    }
  }

  #error({ status, headers, body }: ErrorAnswer): ErrorAnswer {
    const { path, request } = this.#parts
    const error = errorOfBody(body.toString())
    const { message, code } = clientError(clientApis.get(path.path) ?? 'chat', error)
    const format = errorFormatOf(modelsErrorFormats, request.rawPath)
    const written = format.errorBody(new ApiError(status, message, { code }))
    return {
      status,
      headers: { ...headers, 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(written)),
    }
  }

  #fields(): TranslatedAnswer['fields'] {
    const { ignored, options } = this.#translation
    const translated = ['x-bucketry-translated', options.upstream] as const
    return ignored.length === 0
      ? [translated]
      : [translated, ['x-bucketry-ignored', ignored.join(', ')]]
  }
}

function begunJson(
  status: number,
  headers: BegunAnswer['headers'],
  body: Buffer,
  fields: TranslatedAnswer['fields'],
): BegunAnswer {
  const { 'content-length': _, ...kept } = headers
  return {
    ...{ status, isStream: false, held: [body], translated: { fields } },
    headers: { ...kept, 'content-type': 'application/json', 'content-length': String(body.length) },
    body: { next: async () => ({ done: true, value: undefined }) },
    end: () => undefined,
  }
}

async function wholeBody({ held, body, headers }: BegunAnswer): Promise<Buffer> {
  if (headers['content-encoding'] !== undefined) {
    throw new UnreadableAnswer('The upstream compressed its answer although it was told not to.')
  }
  const pieces = [...held]
  let size = pieces.reduce((sum, piece) => sum + piece.length, 0)
  for (let next = await body.next(); next.done !== true; next = await body.next()) {
    pieces.push(next.value)
    size += next.value.length
    if (size > maxAnswerBytes) throw new UnreadableAnswer(tooLarge)
  }
  return Buffer.concat(pieces)
}
