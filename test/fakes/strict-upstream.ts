import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { boundaryOf, FormParser } from '../../src/platform/http/form-parser.ts'

/** A call as the upstream got it. */
export interface ReceivedCall {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  readonly model: string
  /** The socket that it came on. */
  readonly connection: number
  /** Resolves when its client has left before the end of the answer. */
  readonly left: Promise<void>
}

export type Behaviour = (call: ReceivedCall, response: ServerResponse) => void | Promise<void>

export interface StrictUpstreamOptions {
  readonly flavour?: 'openai' | 'anthropic'
  readonly models?: readonly string[]
  readonly key?: string
  /** Whether GET /v1/models exists. Default: true. */
  readonly hasList?: boolean
}

/** What no client's request may bring to an upstream. */
const forbidden = [
  'cookie',
  'x-forwarded-for',
  'forwarded',
  'origin',
  'te',
  'expect',
  'via',
  'x-secret',
]

/**
 * An upstream as strict as the real ones: the key, the model and the form of each call are checked, and what is wrong
 * is answered in the provider's own form. `behave` replaces the answer to a call that is right.
 */
export class StrictUpstream {
  readonly calls: ReceivedCall[] = []
  readonly key: string
  readonly flavour: 'openai' | 'anthropic'
  behave: Behaviour = (call, response) => answer(call, response, this.flavour)
  origin = ''
  models: ReadonlySet<string>
  readonly #hasList: boolean
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  #connections = 0

  constructor({
    flavour = 'openai',
    models = ['big', 'small'],
    key = 'sk-upstream-secret-0123456789',
    hasList = true,
  }: StrictUpstreamOptions = {}) {
    this.flavour = flavour
    this.models = new Set(models)
    this.key = key
    this.#hasList = hasList
  }

  static async start(
    t: { after(run: () => Promise<void>): void },
    options?: StrictUpstreamOptions,
  ): Promise<StrictUpstream> {
    const upstream = new StrictUpstream(options)
    const numbers = new WeakMap<object, number>()
    upstream.#server.on('connection', (socket) => numbers.set(socket, upstream.#connections++))
    upstream.#numbers = numbers
    upstream.#server.listen(0, '127.0.0.1')
    await once(upstream.#server, 'listening')
    upstream.origin = `http://127.0.0.1:${(upstream.#server.address() as AddressInfo).port}`
    t.after(() => upstream.close())
    return upstream
  }

  #numbers = new WeakMap<object, number>()

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const left = new Promise<void>((resolve) => {
      response.on('close', () => {
        if (!response.writableEnded) resolve()
      })
    })
    const pieces: Buffer[] = []
    try {
      for await (const piece of request) pieces.push(piece as Buffer)
    } catch {
      return
    }
    const body = Buffer.concat(pieces)
    const { method = '', headers, rawHeaders, url = '' } = request
    if (request.method === 'GET' && url === '/v1/models') {
      if (!this.#hasList) sendJson(response, 404, { error: { message: 'Not Found' } })
      else sendJson(response, 200, { data: [...this.models].map((id) => ({ id })) })
      return
    }
    const isStored = /^\/v1\/responses\/(?!compact|input_tokens)/.test(url)
    const model = isStored ? '' : modelOf(body, headers['content-type'])
    const connection = this.#numbers.get(request.socket) ?? -1
    const call = { method, path: url, headers, rawHeaders, body, model, connection, left }
    this.calls.push(call)
    const refusal = this.#refusalOf(call, isStored)
    if (refusal !== undefined) sendJson(response, refusal.status, this.#errorOf(refusal))
    else await this.behave(call, response)
  }

  #refusalOf({ headers, model, body, method }: ReceivedCall, isStored: boolean) {
    const sent =
      this.flavour === 'openai' ? headers.authorization : `Bearer ${headers['x-api-key']}`
    if (method !== 'POST' && !isStored)
      return { status: 405, type: 'invalid_request_error', code: null }
    if (sent !== `Bearer ${this.key}`) {
      return { status: 401, type: 'authentication_error', code: 'invalid_api_key', sent }
    }
    if (this.flavour === 'anthropic' && headers['anthropic-version'] === undefined) {
      return { status: 400, type: 'invalid_request_error', code: null }
    }
    const bad = forbidden.filter((name) => headers[name] !== undefined)
    if (bad.length > 0 || Number(headers['content-length'] ?? body.length) !== body.length) {
      return { status: 400, type: 'invalid_request_error', code: `forbidden ${bad}` }
    }
    if (isStored || this.models.has(model)) return undefined
    return { status: 404, type: 'invalid_request_error', code: 'model_not_found' }
  }

  #errorOf({
    type,
    code,
    sent = '',
  }: {
    type: string
    code: string | null
    sent?: string | undefined
  }) {
    const message = `Refused. You sent: ${sent}`
    return this.flavour === 'openai'
      ? { error: { message, type, code, param: null } }
      : { type: 'error', error: { type, message } }
  }
}

function modelOf(body: Buffer, type = ''): string {
  if (type.startsWith('application/json')) {
    const { model } = JSON.parse(String(body)) as { model?: unknown }
    return String(model)
  }
  const parser = new FormParser(boundaryOf(type))
  let name = ''
  let model = ''
  for (const piece of parser.feed(body)) {
    if (!Buffer.isBuffer(piece)) name = piece.name
    else if (name === 'model') model += String(piece)
  }
  parser.end()
  return model
}

/** As the provider answers: at once, or as a stream. */
function answer(
  call: ReceivedCall,
  response: ServerResponse,
  flavour: 'openai' | 'anthropic',
): void {
  const isStream =
    call.headers['content-type']?.startsWith('application/json') &&
    (JSON.parse(String(call.body)) as { stream?: unknown }).stream === true
  if (isStream) {
    sendEvents(
      response,
      flavour === 'openai' ? openAiEvents(call.model) : anthropicEvents(call.model),
    )
    return
  }
  const usage =
    flavour === 'openai'
      ? { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 }
      : { input_tokens: 7, output_tokens: 5 }
  sendJson(response, 200, {
    id: 'answer-1',
    model: `${call.model}-2026`,
    choices: [
      { index: 0, message: { role: 'assistant', content: 'héllo' }, finish_reason: 'stop' },
    ],
    ...{ object: 'chat.completion', created: 1_800_000_000 },
    usage,
  })
}

export function sendJson(
  response: ServerResponse,
  status: number,
  content: unknown,
  headers: Record<string, string> = {},
): void {
  const body = JSON.stringify(content)
  response
    .writeHead(status, { 'content-type': 'application/json', 'set-cookie': 'a=b', ...headers })
    .end(body)
}

export const failing =
  (status: number, error: object, headers: Record<string, string> = {}): Behaviour =>
  (_, response) =>
    sendJson(response, status, { error }, headers)

export const streamHead = {
  'content-type': 'text/event-stream; charset=utf-8',
  'access-control-allow-origin': 'https://other.example',
}

export function sendEvents(response: ServerResponse, events: readonly string[]): void {
  response.writeHead(200, streamHead)
  for (const event of events) response.write(event)
  response.end()
}

export function openAiEvents(model: string): string[] {
  const event = (content: object) => `data: ${JSON.stringify({ ...chunk, model, ...content })}\n\n`
  const piece = (delta: object, finish_reason: string | null = null) =>
    event({ choices: [{ index: 0, delta, finish_reason }], usage: null })
  return [
    piece({ role: 'assistant' }),
    piece({ content: 'hé' }),
    piece({ content: 'llo 🦥' }),
    piece({}, 'stop'),
    event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 } }),
    'data: [DONE]\n\n',
  ]
}

const chunk = { id: 'answer-1', object: 'chat.completion.chunk', created: 1_800_000_000 }

export function anthropicEvents(model: string): string[] {
  const event = (type: string, content: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...content })}\n\n`
  return [
    event('message_start', { message: { model, usage: { input_tokens: 7, output_tokens: 1 } } }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'héllo' } }),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } }),
    event('message_stop', {}),
  ]
}
