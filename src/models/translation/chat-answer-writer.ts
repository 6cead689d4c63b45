import type { AnswerEvent, StopReason, Usage } from './conversation.ts'
import { clientError } from './read-answer.ts'
import { idForClient } from './tool-names.ts'

const reasons: Readonly<Record<StopReason, string>> = {
  ...{ end: 'stop', sequence: 'stop', length: 'length' },
  ...{ tools: 'tool_calls', refusal: 'content_filter' },
}
const fieldOf = { text: 'content', refusal: 'refusal', thinking: 'reasoning_content' } as const

/** Writes an answer of Chat Completions: the events of a stream, or `answer`. */
export class ChatWriter {
  readonly #created: number
  readonly #wantsUsage: boolean
  #head: object = {}
  #block: keyof typeof fieldOf | 'tool_use' = 'text'
  #hasInput = false
  readonly #calls: { function: { arguments: string } }[] = []
  readonly #message: Record<string, unknown> = { role: 'assistant', content: null, refusal: null }
  answer: object = {}

  /** @param created seconds since the epoch */
  constructor(created: number, wantsUsage: boolean) {
    this.#created = created
    this.#wantsUsage = wantsUsage
  }

  write(event: AnswerEvent): string {
    switch (event.type) {
      case 'start': {
        const id = `chatcmpl-${event.id.replace(/^(?:msg_|chatcmpl-)/, '')}`
        this.#head = {
          id,
          object: 'chat.completion.chunk',
          created: this.#created,
          model: event.model,
        }
        return this.#chunk({ role: 'assistant', content: '' })
      }
      case 'open': {
        this.#block = event.block
        this.#hasInput = false
        if (event.block !== 'tool_use') return ''
        const made = { name: event.name, arguments: '' }
        const call = { id: idForClient(event.id), type: 'function', function: made }
        this.#calls.push(call)
        return this.#chunk({ tool_calls: [{ index: this.#calls.length - 1, ...call }] })
      }
      case 'delta':
        return this.#delta(event.text)
      case 'close':
        return this.#block === 'tool_use' && !this.#hasInput ? this.#delta('{}') : ''
      case 'sign':
        return ''
      case 'ping':
        return ': ping\n\n'
      case 'stop':
        return this.#stop(reasons[event.reason], event.usage && usageOf(event.usage))
      case 'error': {
        const { message, code = null } = clientError('chat', event)
        return data({ error: { message, type: 'server_error', param: null, code } })
      }
    }
  }

  #delta(text: string): string {
    if (this.#block === 'tool_use') {
      this.#hasInput = true
      const index = this.#calls.length - 1
      const call = this.#calls[index]
      if (call !== undefined) call.function.arguments += text
      return this.#chunk({ tool_calls: [{ index, function: { arguments: text } }] })
    }
    const field = fieldOf[this.#block]
    this.#message[field] = `${this.#message[field] ?? ''}${text}`
    return this.#chunk({ [field]: text })
  }

  #stop(finish_reason: string, usage: object | undefined): string {
    const tool_calls = this.#calls.length > 0 ? this.#calls : undefined
    const choice = {
      index: 0,
      message: { ...this.#message, tool_calls },
      logprobs: null,
      finish_reason,
    }
    this.answer = { ...this.#head, object: 'chat.completion', choices: [choice], usage }
    const counted = this.#wantsUsage && usage ? data({ ...this.#head, choices: [], usage }) : ''
    return `${this.#chunk({}, finish_reason)}${counted}data: [DONE]\n\n`
  }

  #chunk(delta: object, finish_reason: string | null = null): string {
    return data({ ...this.#head, choices: [{ index: 0, delta, logprobs: null, finish_reason }] })
  }
}

function usageOf(usage: Usage): object {
  return {
    ...{ prompt_tokens: usage.input, completion_tokens: usage.output },
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  }
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`
}
