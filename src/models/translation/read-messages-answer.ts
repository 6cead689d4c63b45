import { fieldOf } from '../../platform/text/json-text.ts'
import type { EventSink, StopReason, Usage } from './conversation.ts'
import { arrayAt, numberAt, readError, textAt } from './read-answer.ts'

const reasons: ReadonlyMap<unknown, StopReason> = new Map([
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tools'],
  ['stop_sequence', 'sequence'],
  ['refusal', 'refusal'],
])

/** Reads answers of Messages. Blocks of other kinds have no place in other APIs, and are left out. */
export class MessagesEvents {
  readonly #emit: EventSink
  /** Whether the open block is one that is passed on. */
  #isOpen = false
  /** The input of a tool that came with its block, if no delta brings it. */
  #input = ''
  #usage: Usage | undefined
  #stop: unknown
  #isFinished = false

  constructor(emit: EventSink) {
    this.#emit = emit
  }

  /** An answer that is not a stream has its blocks complete. */
  answer(body: unknown): void {
    const error = readError(body)
    if (error !== undefined) this.#emit({ type: 'error', ...error })
    this.take({ type: 'message_start', message: body })
    for (const content_block of arrayAt(body, 'content')) {
      this.take({ type: 'content_block_start', content_block })
      this.take({ type: 'content_block_stop' })
    }
    this.take({ type: 'message_delta', delta: body })
    this.#isFinished = true
  }

  take(event: unknown): void {
    switch (fieldOf(event, 'type')) {
      case 'message_start': {
        const message = fieldOf(event, 'message')
        this.#usage = usageOf(fieldOf(message, 'usage'), undefined)
        const [id, model] = [textAt(message, 'id'), textAt(message, 'model')]
        this.#emit({ type: 'start', id, model, usage: this.#usage })
        return
      }
      case 'content_block_start':
        this.#start(fieldOf(event, 'content_block'))
        return
      case 'content_block_delta':
        if (this.#isOpen) this.#delta(fieldOf(event, 'delta'))
        return
      case 'content_block_stop':
        if (this.#isOpen && this.#input !== '') this.#emit({ type: 'delta', text: this.#input })
        if (this.#isOpen) this.#emit({ type: 'close' })
        this.#isOpen = false
        return
      case 'message_delta':
        this.#usage = usageOf(fieldOf(event, 'usage'), this.#usage)
        this.#stop = fieldOf(event, 'delta')
        return
      case 'message_stop':
        this.#isFinished = true
        return
      case 'ping':
        this.#emit({ type: 'ping' })
        return
      case 'error':
        this.#emit({ type: 'error', message: '', ...readError(event) })
        return
    }
  }

  /** Writes the end, if the upstream wrote one. */
  end(): void {
    if (!this.#isFinished) return
    const reason = reasons.get(fieldOf(this.#stop, 'stop_reason')) ?? 'end'
    const sequence = textAt(this.#stop, 'stop_sequence') || undefined
    this.#emit({ type: 'stop', reason, sequence, usage: this.#usage })
  }

  #start(given: unknown): void {
    const type = fieldOf(given, 'type')
    this.#input = ''
    this.#isOpen = true
    if (type === 'tool_use') {
      const input = JSON.stringify(fieldOf(given, 'input') ?? {})
      if (input !== '{}') this.#input = input
      const [id, name] = [textAt(given, 'id'), textAt(given, 'name')]
      this.#emit({ type: 'open', block: 'tool_use', id, name })
      return
    }
    const isRedacted = type === 'redacted_thinking'
    const block = type === 'thinking' || isRedacted ? 'thinking' : 'text'
    this.#isOpen = block === 'thinking' || type === 'text'
    if (!this.#isOpen) return
    this.#emit({ type: 'open', block })
    const signature = textAt(given, isRedacted ? 'data' : 'signature')
    this.#delta(given)
    if (isRedacted) this.#emit({ type: 'sign', signature, isRedacted })
  }

  #delta(delta: unknown): void {
    const json = textAt(delta, 'partial_json')
    if (json !== '') this.#input = ''
    const text = textAt(delta, 'text') || textAt(delta, 'thinking') || json
    if (text !== '') this.#emit({ type: 'delta', text })
    const signature = textAt(delta, 'signature')
    if (signature !== '') this.#emit({ type: 'sign', signature, isRedacted: false })
  }
}

/** Anthropic counts tokens from and for its caches beside the input. Later events repeat only some numbers. */
function usageOf(usage: unknown, before: Usage | undefined): Usage | undefined {
  if (typeof usage !== 'object' || usage === null) return before
  const cacheRead = numberAt(usage, 'cache_read_input_tokens', before?.cacheRead)
  const cacheWrite = numberAt(usage, 'cache_creation_input_tokens', before?.cacheWrite)
  const fresh = before && before.input - before.cacheRead - before.cacheWrite
  return {
    input: numberAt(usage, 'input_tokens', fresh) + cacheRead + cacheWrite,
    ...{ cacheRead, cacheWrite },
    output: numberAt(usage, 'output_tokens', before?.output),
    reasoning: numberAt(fieldOf(usage, 'output_tokens_details'), 'thinking_tokens'),
  }
}
