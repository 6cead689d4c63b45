import { fieldOf } from '../../platform/text/json-text.ts'
import type { EventSink, OpenEvent, StopReason, Usage } from './conversation.ts'
import { arrayAt, numberAt, readError, textAt } from './read-answer.ts'

const reasons: ReadonlyMap<unknown, StopReason> = new Map([
  ['length', 'length'],
  ['tool_calls', 'tools'],
  ['function_call', 'tools'],
  ['content_filter', 'refusal'],
])
/** What OpenRouter, DeepSeek and Zhipu write instead of an error. */
const failures = /^(?:error|insufficient_system_resource|network_error)$/

interface ChatText {
  readonly block: 'thinking' | 'text' | 'refusal'
  readonly text: string
}

interface ChatCall {
  id: string
  name: string
  /** Arguments that have not been passed on. */
  text: string
}

/**
 * Reads answers of Chat Completions. In a stream, calls of tools may be interleaved, and blocks must not overlap: the
 * first call is passed on as it arrives, what follows it is held until the answer ends.
 */
export class ChatEvents {
  readonly #emit: EventSink
  #isStarted = false
  #open: ChatText['block'] | 'tool_use' | undefined
  /** In the order of their beginnings. */
  readonly #calls: ChatCall[] = []
  readonly #byIndex = new Map<unknown, ChatCall>()
  /** Text after the first call. */
  readonly #held: ChatText[] = []
  #finish: unknown
  #isFinished = false
  #usage: Usage | undefined

  constructor(emit: EventSink) {
    this.#emit = emit
  }

  /** An answer that is not a stream is one chunk, with a message instead of a delta. */
  answer(body: unknown): void {
    this.take(body)
    this.#isFinished = true
  }

  /** @param chunk undefined: `[DONE]` */
  take(chunk: unknown): void {
    if (chunk === undefined) this.#isFinished = true
    const error = readError(chunk)
    if (error !== undefined) this.#emit({ type: 'error', ...error })
    if (chunk === undefined || error !== undefined) return
    if (!this.#isStarted) {
      this.#emit({ type: 'start', id: textAt(chunk, 'id'), model: textAt(chunk, 'model') })
    }
    this.#isStarted = true
    this.#usage = usageOf(fieldOf(chunk, 'usage')) ?? this.#usage
    const [choice] = arrayAt(chunk, 'choices')
    const delta = fieldOf(choice, 'delta') ?? fieldOf(choice, 'message')
    for (const text of textsOf(delta)) this.#takeText(text)
    for (const call of arrayAt(delta, 'tool_calls')) this.#takeCall(call)
    const finish = textAt(choice, 'finish_reason')
    if (finish === '') return
    this.#finish = finish
    this.#isFinished = true
    if (failures.test(finish)) this.#fail(`The upstream stopped: ${finish}.`)
  }

  /** Writes the end, if the upstream wrote one. Usage follows the reason, so that both are known only now. */
  end(): void {
    if (!this.#isFinished) return
    if (this.#open !== undefined) this.#emit({ type: 'close' })
    for (const { id, name, text } of this.#calls.slice(this.#open === 'tool_use' ? 1 : 0)) {
      if (name === '') this.#fail('The upstream called a tool without a name.')
      this.#emitWhole({ type: 'open', block: 'tool_use', id, name }, text)
    }
    for (const { block, text } of this.#held) this.#emitWhole({ type: 'open', block }, text)
    // Many servers say `stop` or nothing although the model calls tools.
    const reason = reasons.get(this.#finish) ?? (this.#calls.length > 0 ? 'tools' : 'end')
    this.#emit({ type: 'stop', reason, usage: this.#usage })
  }

  #emitWhole(open: OpenEvent, text: string): void {
    this.#emit(open)
    if (text !== '') this.#emit({ type: 'delta', text })
    this.#emit({ type: 'close' })
  }

  #fail(message: string): void {
    this.#emit({ type: 'error', message })
  }

  #takeText({ block, text }: ChatText): void {
    if (this.#calls.length > 0) {
      this.#held.push({ block, text })
      this.#emit({ type: 'ping' })
      return
    }
    if (this.#open !== block) {
      if (this.#open !== undefined) this.#emit({ type: 'close' })
      this.#emit({ type: 'open', block })
    }
    this.#open = block
    this.#emit({ type: 'delta', text })
  }

  #takeCall(given: unknown): void {
    const call = this.#callOf(given)
    const isFirst = call === this.#calls[0]
    if (isFirst && call.name !== '' && this.#open !== 'tool_use') {
      if (this.#open !== undefined) this.#emit({ type: 'close' })
      this.#open = 'tool_use'
      this.#emit({ type: 'open', block: 'tool_use', id: call.id, name: call.name })
    }
    if (!isFirst || this.#open !== 'tool_use') {
      this.#emit({ type: 'ping' })
    } else if (call.text !== '') {
      this.#emit({ type: 'delta', text: call.text })
      call.text = ''
    }
  }

  #callOf(given: unknown): ChatCall {
    const made = fieldOf(given, 'function')
    const [id, name, index] = [textAt(given, 'id'), textAt(made, 'name'), fieldOf(given, 'index')]
    const known = index === undefined ? this.#calls.at(-1) : this.#byIndex.get(index)
    // Gemini numbers all calls 0, others none: another id with a name is another call.
    const isOther = id === '' ? index === undefined && known?.name !== '' : known?.id !== id
    const isNew = known === undefined || (name !== '' && isOther)
    const call = isNew ? { id, name, text: '' } : known
    if (isNew) this.#calls.push(call)
    this.#byIndex.set(index, call)
    call.id ||= id
    call.name ||= name
    const text = fieldOf(made, 'arguments') ?? ''
    // Some servers write the object itself.
    call.text += typeof text === 'string' ? text : JSON.stringify(text)
    return call
  }
}

/** The texts of a message or a delta. */
function textsOf(message: unknown): readonly ChatText[] {
  // `reasoning` of OpenRouter, Groq and vLLM, `reasoning_content` of DeepSeek and most others.
  const thinking = textAt(message, 'reasoning_content') || textAt(message, 'reasoning')
  const texts: ChatText[] = [{ block: 'thinking', text: thinking }]
  // Mistral's chunks: text, and thinking that has chunks itself.
  for (const part of arrayAt(message, 'content')) {
    const inner = arrayAt(part, 'thinking').map((one) => textAt(one, 'text'))
    texts.push({ block: 'thinking', text: inner.join('') })
    texts.push({ block: 'text', text: textAt(part, 'text') })
  }
  texts.push({ block: 'text', text: textAt(message, 'content') })
  texts.push({ block: 'refusal', text: textAt(message, 'refusal') })
  return texts.filter(({ text }) => text !== '')
}

function usageOf(usage: unknown): Usage | undefined {
  if (typeof usage !== 'object' || usage === null) return undefined
  const details = fieldOf(usage, 'prompt_tokens_details')
  return {
    input: numberAt(usage, 'prompt_tokens'),
    // `prompt_cache_hit_tokens` of DeepSeek.
    cacheRead: numberAt(details, 'cached_tokens', numberAt(usage, 'prompt_cache_hit_tokens')),
    cacheWrite: numberAt(details, 'cache_write_tokens'),
    output: numberAt(usage, 'completion_tokens'),
    reasoning: numberAt(fieldOf(usage, 'completion_tokens_details'), 'reasoning_tokens'),
  }
}
