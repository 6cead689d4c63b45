import type { AnswerEvent, OpenEvent, Usage } from './conversation.ts'
import { clientError } from './read-answer.ts'
import { type CallContext, freeformText, idForClient } from './tool-names.ts'

type Item = Record<string, unknown>

function usageOf(usage: Usage): object {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cacheRead },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  }
}

/** Writes an answer of Responses: the events of a stream, the last of which repeats it, or `answer`. */
export class ResponsesWriter {
  readonly #context: CallContext
  readonly #output: Item[] = []
  #sequence = 0
  #item: Item = {}
  #block = ''
  #isFreeform = false
  #hasRefusal = false
  #text = ''
  #base = ''
  answer: Item

  constructor(createdAt: number, context: CallContext) {
    this.#context = context
    this.answer = {
      ...{ id: '', object: 'response', created_at: createdAt, status: 'in_progress' },
      ...{ background: false, error: null, incomplete_details: null, instructions: null },
      ...{ max_output_tokens: null, model: '', output: [], parallel_tool_calls: true },
      ...{ previous_response_id: null, reasoning: { effort: null, summary: null } },
      ...{ store: false, temperature: null, text: { format: { type: 'text' } } },
      ...{ tool_choice: 'auto', tools: [], top_p: null, truncation: 'disabled' },
      ...{ usage: null, user: null, metadata: {} },
    }
  }

  write(event: AnswerEvent): string {
    switch (event.type) {
      case 'start': {
        this.#base = event.id.replace(/^(?:chatcmpl-|msg_|resp_)/, '')
        this.answer = { ...this.answer, id: `resp_${this.#base}`, model: event.model }
        const response = this.answer
        return (
          this.#say('response.created', { response }) +
          this.#say('response.in_progress', { response })
        )
      }
      case 'open':
        return this.#open(event)
      case 'delta':
        return this.#delta(event.text)
      case 'sign':
        this.#item.encrypted_content = this.#context.seal.close(event.signature, event.isRedacted)
        return ''
      case 'close':
        return this.#close()
      case 'ping':
        return ': ping\n\n'
      case 'stop':
        return this.#stop(event)
      case 'error': {
        const { message, code = 'server_error' } = clientError('responses', event)
        this.#end('failed', { error: { code, message } })
        return this.#say('response.failed', { response: this.answer })
      }
    }
  }

  #open(event: OpenEvent): string {
    this.#block = event.block
    this.#text = ''
    this.#isFreeform = false
    this.#hasRefusal ||= event.block === 'refusal'
    const output_index = this.#output.length
    this.#item = this.#itemOf(event, `${this.#base}_${output_index}`)
    const added = this.#say('response.output_item.added', { output_index, item: this.#item })
    if (event.block === 'tool_use') return added
    const [kind, part] = this.#part('')
    return added + this.#say(`response.${kind}_part.added`, { ...this.#place(), part })
  }

  #itemOf(event: OpenEvent, id: string): Item {
    const status = 'in_progress'
    if (event.block === 'thinking') return { id: `rs_${id}`, type: 'reasoning', summary: [] }
    if (event.block !== 'tool_use') {
      return { id: `msg_${id}`, type: 'message', status, role: 'assistant', content: [] }
    }
    const { name, namespace, isFreeform } = this.#context.names.clientTool(event.name)
    this.#isFreeform = isFreeform
    const common = { status, call_id: idForClient(event.id), name, ...(namespace && { namespace }) }
    return isFreeform
      ? { id: `ctc_${id}`, type: 'custom_tool_call', ...common, input: '' }
      : { id: `fc_${id}`, type: 'function_call', ...common, arguments: '' }
  }

  #delta(text: string): string {
    this.#text += text
    // The text of a custom tool is inside JSON, which is read at its end.
    if (this.#isFreeform) return ''
    return this.#say(`response.${this.#kind()}.delta`, { ...this.#place(), delta: text })
  }

  #close(): string {
    const output_index = this.#output.length
    const said = this.#block === 'tool_use' ? this.#closeTool() : this.#closePart()
    const item = this.#item
    this.#output.push(item)
    return said + this.#say('response.output_item.done', { output_index, item })
  }

  #closeTool(): string {
    const isFreeform = this.#isFreeform
    const [field, text] = isFreeform
      ? ['input', freeformText(this.#text)]
      : ['arguments', this.#text || '{}']
    Object.assign(this.#item, { [field]: text, status: 'completed' })
    const [kind, place] = [this.#kind(), this.#place()]
    const isSaid = !isFreeform && this.#text !== ''
    const delta = isSaid ? '' : this.#say(`response.${kind}.delta`, { ...place, delta: text })
    return delta + this.#say(`response.${kind}.done`, { ...place, [field]: text })
  }

  #closePart(): string {
    const text = this.#text
    const [kind, part] = this.#part(text)
    const field = this.#block === 'refusal' ? 'refusal' : 'text'
    if (this.#block === 'thinking') {
      this.#item.summary = [part]
      this.#item.encrypted_content ??= this.#context.seal.close('', false)
    } else Object.assign(this.#item, { content: [part], status: 'completed' })
    return (
      this.#say(`response.${this.#kind()}.done`, { ...this.#place(), [field]: text }) +
      this.#say(`response.${kind}_part.done`, { ...this.#place(), part })
    )
  }

  #stop({ reason, usage }: AnswerEvent & { readonly type: 'stop' }): string {
    const why = reason === 'length' ? 'max_output_tokens' : 'content_filter'
    const isCut = reason === 'length' || (reason === 'refusal' && !this.#hasRefusal)
    const incomplete_details = isCut ? { reason: why } : null
    const status = isCut ? 'incomplete' : 'completed'
    this.#end(status, { incomplete_details, usage: usage === undefined ? null : usageOf(usage) })
    return this.#say(`response.${status}`, { response: this.answer })
  }

  #end(status: string, fields: Item): void {
    this.answer = { ...this.answer, status, output: this.#output, ...fields }
  }

  /** The name in the events of the open block. */
  #kind(): string {
    if (this.#block === 'thinking') return 'reasoning_summary_text'
    if (this.#block !== 'tool_use') return this.#block === 'text' ? 'output_text' : 'refusal'
    return this.#isFreeform ? 'custom_tool_call_input' : 'function_call_arguments'
  }

  #part(text: string): [kind: string, part: object] {
    if (this.#block === 'thinking') return ['reasoning_summary', { type: 'summary_text', text }]
    if (this.#block === 'refusal') return ['content', { type: 'refusal', refusal: text }]
    return ['content', { type: 'output_text', text, annotations: [], logprobs: [] }]
  }

  #place(): object {
    const place = { item_id: this.#item.id, output_index: this.#output.length }
    if (this.#block === 'tool_use') return place
    return { ...place, [this.#block === 'thinking' ? 'summary_index' : 'content_index']: 0 }
  }

  #say(type: string, fields: object): string {
    const sequence_number = this.#sequence++
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...fields })}\n\n`
  }
}
