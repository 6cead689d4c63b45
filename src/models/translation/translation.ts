import { fieldOf, parsedJson } from '../../platform/text/json-text.ts'
import { ChatWriter } from './chat-answer-writer.ts'
import type { AnswerEvent, ModelApi, ModelError, ModelRequest, StopReason } from './conversation.ts'
import { GivenFields, IgnoredFields } from './given-fields.ts'
import { MessagesWriter } from './messages-answer-writer.ts'
import { ChatEvents } from './read-chat-answer.ts'
import { readChatRequest } from './read-chat-request.ts'
import { MessagesEvents } from './read-messages-answer.ts'
import { readMessagesRequest } from './read-messages-request.ts'
import { readResponsesRequest } from './read-responses-request.ts'
import { ResponsesWriter } from './responses-answer-writer.ts'
import { type CallContext, Seal, ToolNames } from './tool-names.ts'
import { writeChatRequest } from './write-chat-request.ts'
import { writeMessagesRequest } from './write-messages-request.ts'

/** An answer that cannot be translated. The message is for the client, and may be the upstream's. */
export class UnreadableAnswer extends Error {
  /** For logs: it quotes nothing of the upstream, which may quote the request. */
  readonly reason: string

  constructor(message: string, reason = message) {
    super(message)
    this.name = 'UnreadableAnswer'
    this.reason = reason
  }
}

/** The APIs of upstreams to which calls are translated. */
export type UpstreamApi = 'chat' | 'messages'

export interface TranslationOptions {
  readonly client: ModelApi
  readonly upstream: UpstreamApi
  /** The upstream's name of the model: nothing in the body chooses another. */
  readonly model: string
  /** The most tokens that the model writes, if known. */
  readonly maxOutput: number | undefined
  /** Whose signatures of reasoning are sent back. */
  readonly provider: string
  /** Seconds since the epoch. */
  readonly nowSeconds: number
  /** Fields of the upstream's body that it refused (`refusedField`). */
  readonly refused: ReadonlySet<string>
}

/** One call of a client, for an upstream of another API. */
export class Translation {
  readonly options: TranslationOptions
  readonly #context: CallContext
  readonly #wantsUsage: boolean
  readonly isStream: boolean
  /** The body for the upstream. */
  body: Buffer
  /** Fields of the client's call that have no effect. */
  readonly ignored: readonly string[]

  /** @param body the JSON of the client's call. @throws ApiError 400 that names the field */
  constructor(body: unknown, options: TranslationOptions) {
    const { client, upstream, model, maxOutput, provider } = options
    const ignored = new IgnoredFields()
    const given = new GivenFields(body, ignored)
    given.skip('model')
    this.options = options
    this.#context = { names: new ToolNames(), seal: new Seal(provider) }
    const read = requestReaders[client](given, this.#context)
    // Claude Code asks for 32,000 tokens of every model, and those that write less refuse that.
    const maxTokens = read.maxTokens && Math.min(read.maxTokens, maxOutput ?? read.maxTokens)
    const request = { ...read, maxTokens }
    given.done()
    const written =
      upstream === 'chat'
        ? writeChatRequest(request, model)
        : writeMessagesRequest(request, { model, maxOutput, ignored })
    const sent = withoutRefused(written, options.refused, ignored)
    this.isStream = request.isStream
    this.#wantsUsage = request.wantsUsage
    this.body = Buffer.from(JSON.stringify(sent))
    this.ignored = [...ignored.names]
  }

  /** The upstream's answer that is not a stream, for the client. @throws UnreadableAnswer */
  answer(bytes: Buffer): Buffer {
    const writer = this.#writer()
    const stream = new StreamTranslation(this.options.upstream, writer)
    const text = stream.answer(parsedJson(bytes.toString()) ?? notJson)
    if (stream.error !== undefined) throw new UnreadableAnswer(stream.error, unusable)
    return Buffer.from(this.isStream ? text : JSON.stringify(writer.answer))
  }

  stream(): StreamTranslation {
    return new StreamTranslation(this.options.upstream, this.#writer())
  }

  #writer(): AnswerWriter {
    const { client, nowSeconds } = this.options
    if (client === 'messages') return new MessagesWriter(this.#context.seal)
    if (client === 'chat') return new ChatWriter(nowSeconds, this.#wantsUsage)
    return new ResponsesWriter(nowSeconds, this.#context)
  }
}

/**
 * Fields without which a call has the same meaning, and how upstreams name those that they refuse. A limit of tokens is
 * never left out: the answer would be longer, and cost more. But OpenAI's reasoning models have another name for it, which
 * other servers do not know.
 */
const dispensable: Readonly<Record<UpstreamApi, Readonly<Record<string, RegExp>>>> = {
  chat: {
    max_tokens: /(?:un|not )supported.*max_completion_tokens/is,
    // Ollama: "… does not support thinking".
    ...{ reasoning_effort: /reasoning|thinking/i, temperature: /temperature/, top_p: /top_p/ },
    ...{ parallel_tool_calls: /parallel_tool_calls/, stream_options: /stream_options/ },
  },
  messages: { thinking: /thinking|effort/, temperature: /temperature/, top_p: /top_p/ },
}

/** An error may quote the request, and a pattern takes quadratic time. */
const maxCompared = 4_096

/** The field that an upstream refuses, if the call can be sent without it. */
export function refusedField(
  { body, options }: Translation,
  { message }: ModelError,
): string | undefined {
  const sent = parsedJson(body.toString())
  const fields = Object.entries(dispensable[options.upstream])
  return fields.find(
    ([name, named]) =>
      fieldOf(sent, name) !== undefined && named.test(message.slice(0, maxCompared)),
  )?.[0]
}

function withoutRefused(
  sent: object,
  refused: ReadonlySet<string>,
  ignored: IgnoredFields,
): object {
  const fields: Record<string, unknown> = { ...sent }
  for (const name of refused) {
    const value = fields[name]
    if (value === undefined) continue
    fields[name] = undefined
    if (name === 'max_tokens') fields.max_completion_tokens = value
    else ignored.add(name)
    if (name === 'thinking') fields.output_config = withoutEffort(fields.output_config)
  }
  return fields
}

function withoutEffort(config: unknown): object | undefined {
  const format = fieldOf(config, 'format')
  return format === undefined ? undefined : { format }
}

const requestReaders = {
  ...{ chat: readChatRequest, messages: readMessagesRequest, responses: readResponsesRequest },
} as const satisfies Record<ModelApi, (given: GivenFields, context: CallContext) => ModelRequest>

interface AnswerWriter {
  write(event: AnswerEvent): string
  /** The whole answer, after its events. */
  readonly answer: object
}

/** Translates the events of a stream, one by one. An end is written only if the upstream wrote one. */
export class StreamTranslation {
  readonly #events: ChatEvents | MessagesEvents
  readonly #writer: AnswerWriter
  #isEmpty = true
  #text = ''
  /** `over`: the end, or an error, is written. */
  state: 'open' | 'over' | 'failed' = 'open'
  error: string | undefined

  constructor(upstream: UpstreamApi, writer: AnswerWriter) {
    const emit = (event: AnswerEvent) => this.#write(event)
    this.#events = upstream === 'chat' ? new ChatEvents(emit) : new MessagesEvents(emit)
    this.#writer = writer
  }

  answer(body: unknown): string {
    this.#events.answer(body)
    return this.end()
  }

  /** @param data of an event. @returns what it becomes; may be empty */
  take(data: string): string {
    const event = data === '[DONE]' ? undefined : (parsedJson(data) ?? notJson)
    this.#events.take(event)
    return this.#taken()
  }

  /** What follows the last event. */
  end(): string {
    this.#events.end()
    return this.#taken()
  }

  /** Ends the stream with an error. */
  fail(message: string): string {
    this.#write({ type: 'error', message })
    return this.#taken()
  }

  #taken(): string {
    const text = this.#text
    this.#text = ''
    return text
  }

  #write(event: AnswerEvent): void {
    if (this.state !== 'open') return
    const { type } = event
    if (type === 'delta' || type === 'sign') this.#isEmpty = false
    if (type === 'open' && event.block === 'tool_use') this.#isEmpty = false
    const isEmpty = type === 'stop' && this.#isEmpty && wantsContent.has(event.reason)
    const shown = isEmpty ? emptyAnswer : event
    this.#text += this.#writer.write(shown)
    if (type === 'stop') this.state = 'over'
    if (shown.type !== 'error') return
    this.state = 'failed'
    this.error = shown.message
  }
}

/** Reasons of an end that no answer without content has. */
const wantsContent: ReadonlySet<StopReason> = new Set(['end', 'tools'])
const unusable = 'The upstream answered with an error, or without content.'
const emptyAnswer = { type: 'error', message: 'The answer of the upstream is empty.' } as const
const notJson = { error: { message: 'The upstream sent an event that is not JSON.' } }

/** Characters have about a byte, tokens four; a picture has at most some 1,600 (docs.anthropic.com, "Vision"). */
const bytesPerToken = 4
const tokensPerFile = 1_600

/** The number of tokens of a call of `/messages/count_tokens`, estimated. @throws ApiError 400 */
export function estimatedTokens(body: unknown, provider: string): number {
  const context = { names: new ToolNames(), seal: new Seal(provider) }
  const { turns, tools } = readMessagesRequest(new GivenFields(body, new IgnoredFields()), context)
  let files = 0
  const text = JSON.stringify([turns, tools], (name, value) => {
    if (name !== 'source') return value
    files += 1
    return undefined
  })
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken) + files * tokensPerFile
}
