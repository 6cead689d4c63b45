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
import { UsageReader } from './reported-usage.ts'
import {
  maxAnswerBytes,
  type TranslatedAnswer,
  TranslatedStream,
  tooLarge,
} from './translated-stream.ts'
import { clientApis, type TranslatedTarget } from './translated-targets.ts'

/**
 * Models of upstreams that know the limit of tokens only as `max_completion_tokens`. Other refusals are not remembered: they
 * can depend on the rest of a request, which may be of another caller.
 */
export class RenamedLimits {
  readonly #known = new Set<string>()

  has(target: CallTarget): boolean {
    return this.#known.has(keyOf(target))
  }

  add(target: CallTarget): void {
    this.#known.add(keyOf(target))
    const [oldest] = this.#known
    if (this.#known.size > maxKnown && oldest !== undefined) this.#known.delete(oldest)
  }
}

const maxKnown = 1_000
const keyOf = ({ connection, ownId }: CallTarget) => JSON.stringify([connection.id, ownId])

const brokenOff = 'The answer of the upstream broke off.'

interface TranslatedCallParts {
  readonly target: TranslatedTarget
  readonly path: CallPath
  readonly request: Pick<HttpRequest, 'rawPath' | 'signal'>
  readonly body: CallBody
  readonly renamed: RenamedLimits
  readonly nowMs: number
}

/** One call of a client at a target of another API. */
export class TranslatedCall {
  readonly #parts: TranslatedCallParts
  readonly #json: unknown
  #translation: Translation
  /** What the upstream refused during this call. */
  readonly #refused = new Set<string>()
  /** Whether a code of the upstream, not only its text, says that it has another name for the limit. */
  #isRenamed = false

  /** @throws ApiError 400 that names what cannot be translated */
  constructor(parts: TranslatedCallParts) {
    this.#parts = parts
    if (parts.renamed.has(parts.target)) this.#refused.add('max_tokens')
    this.#json = parts.body.parsed()
    this.#translation = this.#translate()
  }

  #translate(): Translation {
    const { target, path, nowMs } = this.#parts
    return new Translation(this.#json, {
      ...{ client: clientApis.get(path.path) ?? 'chat', upstream: target.api },
      ...{ model: target.ownId, maxOutput: target.maxOutput },
      provider: target.connection.provider,
      ...{ nowSeconds: Math.floor(nowMs / 1_000), refused: this.#refused },
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
    // Neither a prompt that is too long, nor content that is refused.
    if (made.failure.row.name !== 'request') return false
    const { status, body } = made.answer
    if (status !== 400 && status !== 422) return false
    const error = errorOfBody(body.toString())
    const field = refusedField(this.#translation, error)
    if (field === undefined || this.#refused.has(field)) return false
    this.#isRenamed ||= field === 'max_tokens' && error.code === 'unsupported_parameter'
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
    if (this.#isRenamed) this.#parts.renamed.add(this.#parts.target)
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
    const usage = new UsageReader(false)
    try {
      const bytes = await wholeBody(begun)
      usage.take(bytes)
      const body = this.#translation.answer(bytes)
      const { isStream } = this.#translation
      const made = begunJson(begun.status, begun.headers, body, fields)
      const type = isStream ? 'text/event-stream; charset=utf-8' : 'application/json'
      const headers = { ...made.headers, 'content-type': type }
      return { begun: { ...made, isStream, headers, translated: { fields, usage } } }
    } catch (error) {
      this.#parts.request.signal.throwIfAborted()
      const isRead = error instanceof UnreadableAnswer
      const failure = failureWithout('failed', 502, isRead ? error.reason : brokenOff)
      // The upstream bills it all the same.
      return { failure, answer: isRead ? this.#own(error) : undefined, tokens: usage.result() }
    } finally {
      begun.end()
    }
  }

  /** What is wrong with an answer, as an error of the upstream. */
  #own({ message }: UnreadableAnswer): ErrorAnswer {
    const body = Buffer.from(JSON.stringify({ error: { message } }))
    return this.#error({ status: 502, headers: {}, body })
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
