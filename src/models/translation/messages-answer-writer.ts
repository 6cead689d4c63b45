import type { AnswerEvent, ModelError, OpenEvent, StopReason, Usage } from './conversation.ts'
import { clientError, isTooLong } from './read-answer.ts'
import { idForClient, type Seal } from './tool-names.ts'
import { inputOf } from './write-messages-request.ts'

const reasons: Readonly<Record<StopReason, string>> = {
  ...{ end: 'end_turn', length: 'max_tokens', tools: 'tool_use' },
  ...{ sequence: 'stop_sequence', refusal: 'refusal' },
}

type Item = Record<string, unknown>

/** Writes an answer of Messages: the events of a stream, or `answer`. */
export class MessagesWriter {
  readonly #seal: Seal
  readonly #content: Item[] = []
  #block: Item = {}
  #text = ''
  answer: Item = {}

  constructor(seal: Seal) {
    this.#seal = seal
  }

  write(event: AnswerEvent): string {
    switch (event.type) {
      case 'start': {
        const id = event.id.startsWith('msg_') ? event.id : `msg_${event.id}`
        this.answer = { id, type: 'message', role: 'assistant', model: event.model, content: [] }
        // Usage is often known only at the end, which has all of it.
        Object.assign(this.answer, {
          stop_reason: null,
          stop_sequence: null,
          usage: usageOf(event.usage),
        })
        return said('message_start', { message: this.answer })
      }
      case 'open':
        this.#block = opened(event)
        this.#text = ''
        this.#content.push(this.#block)
        return this.#say('start', { content_block: this.#block })
      case 'delta':
        this.#text += event.text
        return this.#say('delta', { delta: deltaOf(this.#block.type, event.text) })
      case 'sign':
        return this.#sign(event.signature, event.isRedacted)
      case 'close':
        return this.#close()
      case 'ping':
        return said('ping', {})
      case 'stop': {
        const { reason, sequence: stop_sequence = null, usage } = event
        const delta = { stop_reason: reasons[reason], stop_sequence }
        Object.assign(this.answer, { content: this.#content, ...delta, usage: usageOf(usage) })
        return said('message_delta', { delta, usage: usageOf(usage) }) + said('message_stop', {})
      }
      case 'error': {
        const { message } = clientError('messages', event)
        return said('error', { error: { type: errorTypeOf(event), message } })
      }
    }
  }

  #close(): string {
    const { type, signature } = this.#block
    // Thinking without a proof still says which provider accepts it.
    const signed = type === 'thinking' && signature === '' ? this.#sign('', false) : ''
    this.#block[type === 'tool_use' ? 'input' : String(type)] =
      type === 'tool_use' ? inputOf(this.#text) : this.#text
    return signed + this.#say('stop', {})
  }

  #sign(signature: string, isRedacted: boolean): string {
    const sealed = this.#seal.close(signature, isRedacted)
    this.#block.signature = sealed
    return this.#say('delta', { delta: { type: 'signature_delta', signature: sealed } })
  }

  #say(part: string, fields: object): string {
    return said(`content_block_${part}`, { index: this.#content.length - 1, ...fields })
  }
}

function usageOf({ input, output, cacheRead, cacheWrite }: Usage = noUsage): object {
  return {
    input_tokens: Math.max(0, input - cacheRead - cacheWrite),
    ...{ cache_creation_input_tokens: cacheWrite, cache_read_input_tokens: cacheRead },
    output_tokens: output,
  }
}

const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }

/** What clients retry is `overloaded_error`, `api_error` and `rate_limit_error`. */
function errorTypeOf(error: ModelError): string {
  const { code = '' } = error
  if (isTooLong(error)) return 'invalid_request_error'
  if (/^(?:overloaded|api|rate_limit|invalid_request)_error$/.test(code)) return code
  return code.includes('rate_limit') ? 'rate_limit_error' : 'api_error'
}

function opened(event: OpenEvent): Item {
  const { block } = event
  if (block === 'tool_use')
    return { type: block, id: idForClient(event.id), name: event.name, input: {} }
  return block === 'thinking'
    ? { type: block, thinking: '', signature: '' }
    : { type: 'text', text: '' }
}

function deltaOf(type: unknown, text: string): object {
  if (type === 'tool_use') return { type: 'input_json_delta', partial_json: text }
  return type === 'thinking'
    ? { type: 'thinking_delta', thinking: text }
    : { type: 'text_delta', text }
}

function said(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}
