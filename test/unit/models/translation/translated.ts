import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  Translation,
  type TranslationOptions,
} from '../../../../src/models/translation/translation.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look at whatever came.
export type Whatever = any
export type Json = Record<string, unknown>
type Client = TranslationOptions['client']
export type Pair = readonly [client: Client, upstream: TranslationOptions['upstream']]

export const everyPair: readonly Pair[] = [
  ['messages', 'chat'],
  ['responses', 'chat'],
  ['chat', 'messages'],
  ['responses', 'messages'],
]

export function translationOf(
  [client, upstream]: Pair,
  body: Json,
  options: Partial<TranslationOptions> = {},
) {
  const given = {
    client,
    upstream,
    model: 'own',
    provider: 'lab',
    maxOutput: undefined,
    nowSeconds: 1_700_000_000,
    refused: new Set<string>(),
  }
  return new Translation({ model: 'x', ...minimal[client], ...body }, { ...given, ...options })
}

const minimal: Readonly<Record<Client, Json>> = {
  chat: { messages: [{ role: 'user', content: 'Hi' }] },
  messages: { max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] },
  responses: { input: 'Hi' },
}

/** What the upstream gets. */
export function sent(pair: Pair, body: Json, options: Partial<TranslationOptions> = {}): Whatever {
  return JSON.parse(String(translationOf(pair, body, options).body))
}

export const ignoredBy = (pair: Pair, body: Json) => translationOf(pair, body).ignored

/** What the client gets for an answer that is not a stream. */
export function answered(pair: Pair, answer: unknown, body: Json = {}): Whatever {
  return JSON.parse(String(translationOf(pair, body).answer(Buffer.from(JSON.stringify(answer)))))
}

/** The events that the client gets; `[DONE]` is a string. */
export function streamed(pair: Pair, events: readonly unknown[], body: Json = {}): Whatever[] {
  const stream = translationOf(pair, { stream: true, ...body }).stream()
  const data = events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)))
  return eventsIn(data.map((one) => stream.take(one)).join('') + stream.end())
}

function eventsIn(text: string): Whatever[] {
  return text.split('\n\n').flatMap((block) => {
    const line = block.split('\n').find((one) => one.startsWith('data: '))
    if (line === undefined) return []
    const data = line.slice(6)
    return [data === '[DONE]' ? data : JSON.parse(data)]
  })
}

export const chatAnswer = (message: Json, finish_reason = 'stop', usage?: Json) => ({
  ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'own' },
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }],
  usage,
})

export const messagesAnswer = (
  content: readonly Json[],
  stop_reason = 'end_turn',
  usage: Json = {},
) => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'own', content, stop_reason },
  ...{ stop_sequence: null, usage: { input_tokens: 3, output_tokens: 2, ...usage } },
})

export const chunk = (delta: Json, finish_reason: string | null = null) => ({
  ...{ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'own' },
  choices: [{ index: 0, delta, finish_reason }],
})

export const toolChunk = (index: number, made: Json, id?: string) =>
  chunk({
    tool_calls: [{ index, ...(id !== undefined && { id, type: 'function' }), function: made }],
  })

export const usageChunk = (usage: Json) => ({ ...chunk({}), choices: [], usage })

/** The stream of an answer of Messages. */
export const messagesEvents = (answer: ReturnType<typeof messagesAnswer>): readonly Json[] => [
  { type: 'message_start', message: { ...answer, content: [], stop_reason: null } },
  ...answer.content.flatMap((block, index) => [
    { type: 'content_block_start', index, content_block: { ...block, ...emptied(block) } },
    ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]),
  {
    type: 'message_delta',
    delta: { stop_reason: answer.stop_reason, stop_sequence: null },
    usage: { output_tokens: answer.usage.output_tokens },
  },
  { type: 'message_stop' },
]

function emptied({ type }: Json): Json {
  if (type === 'text') return { text: '' }
  if (type === 'thinking') return { thinking: '', signature: '' }
  return type === 'tool_use' ? { input: {} } : {}
}

function deltasOf(block: Json): readonly Json[] {
  if (block.type === 'text') return [{ type: 'text_delta', text: block.text }]
  if (block.type === 'tool_use') {
    const json = JSON.stringify(block.input)
    return [json.slice(0, 3), json.slice(3)].map((partial_json) => ({
      type: 'input_json_delta',
      partial_json,
    }))
  }
  if (block.type !== 'thinking') return []
  return [
    { type: 'thinking_delta', thinking: block.thinking },
    { type: 'signature_delta', signature: block.signature },
  ]
}

export const mc: Pair = ['messages', 'chat']
export const rc: Pair = ['responses', 'chat']
export const cm: Pair = ['chat', 'messages']
export const rm: Pair = ['responses', 'messages']

export const text = (one: string) => ({ type: 'text', text: one })
export const schema = { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] }
export const chatTool = {
  type: 'function',
  function: { name: 'f', description: 'd', parameters: schema },
}
export const messagesTool = { name: 'f', description: 'd', input_schema: schema }
export const responsesTool = { type: 'function', name: 'f', description: 'd', parameters: schema }
export const user = { role: 'user', content: 'Hi' }

/** A call of a tool and its result, in each API of a client. */
export const chatCall = (id: string, args: string) => ({
  ...{ id, type: 'function', function: { name: 'f', arguments: args } },
})
export const chatUsed = (id: string, args = '{"x":"1"}') => ({
  messages: [
    user,
    { role: 'assistant', content: null, tool_calls: [chatCall(id, args)] },
    { role: 'tool', tool_call_id: id, content: 'done' },
  ],
})
export const used = (id: string) => ({
  messages: [
    user,
    { role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: { x: '1' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'done' }] },
  ],
})

export interface RequestCase {
  readonly title: string
  readonly pair: Pair
  readonly body: Json
  /** The value of each path in what the upstream gets; undefined: it is not sent. */
  readonly sent?: Json
  readonly ignored?: readonly string[]
}

/** A test for each case. Numbers are those of the cases that broke other translators. */
export function testRequests(cases: readonly RequestCase[]): void {
  for (const { title, pair, body, sent: expected = {}, ignored = [] } of cases) {
    test(title, () => {
      const got = sent(pair, body)
      for (const [path, value] of Object.entries(expected)) {
        const found = path.split('.').reduce((at: Whatever, name) => at?.[name], got)
        assert.deepEqual(found, value, path)
      }
      assert.deepEqual(ignoredBy(pair, body), ignored)
    })
  }
}
