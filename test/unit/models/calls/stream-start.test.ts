import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  isErrorBody,
  type StreamStart,
  StreamStartReader,
} from '../../../../src/models/calls/stream-start.ts'

const eventOf = (content: object, name = '') =>
  `${name === '' ? '' : `event: ${name}\n`}data: ${JSON.stringify(content)}\n\n`
const chunkOf = (delta: object, finish_reason: string | null = null) =>
  eventOf({ choices: [{ index: 0, delta, finish_reason, logprobs: null }], error: null })
const role = chunkOf({ role: 'assistant', content: '', refusal: null })
const created = eventOf({ type: 'response.created', response: { error: null, output: [] } })
const failed = eventOf({
  ...{ type: 'response.failed', sequence_number: 2 },
  response: { error: { code: 'rate_limit_exceeded', message: 'x' } },
})
const message = { role: 'assistant', content: [], usage: { input_tokens: 1 } }
const messageStart = eventOf({ type: 'message_start', message }, 'message_start')
const overloaded = eventOf({ type: 'error', error: { type: 'overloaded_error' } }, 'error')

/** The start after each piece of one byte: when it is decided, and how. */
function startOf(text: string): { readonly at: number; readonly start: StreamStart } {
  const reader = new StreamStartReader(() => 0)
  const bytes = Buffer.from(text)
  for (const [at, byte] of bytes.entries()) {
    const start = reader.take(Buffer.from([byte]))
    assert.deepEqual(Buffer.concat(reader.held), bytes.subarray(0, at + 1))
    if (start !== 'waiting') return { at: at + 1, start }
  }
  return { at: bytes.length, start: 'waiting' }
}

test('A stream begins with the end of its first event', () => {
  for (const [text, at] of [
    ['data: {"a":1}\n\nmore', 15],
    ['data: {"a":1}\r\n\r\nmore', 16],
    ['data: {"a":1}\r\rmore', 15],
    [': wait\n\n: wait\n\ndata: 1\n\n', 25],
    [': wait\r\n\r\ndata: 1\r\n\r\n', 20],
    ['\n\n\ndata: 🦥\n\n', 15],
    ['id: 1\nevent: x\n\ndata\n\n', 22],
    ['data:\n\n', 7],
  ] as const) {
    assert.deepEqual(startOf(text), { at, start: 'begun' }, JSON.stringify(text))
  }
  for (const text of [
    ...['', ':', ': wait\n\n', 'data: 1\n', 'data: {"error":1}'],
    // Without data nothing is dispatched.
    ...['retry: 3000\n\n', 'id: 1\nevent: error\n\n', 'datax: 1\n\n'],
  ]) {
    assert.equal(startOf(text).start, 'waiting', JSON.stringify(text))
  }
})

test('A first event that is an error, or the end, is not a beginning', () => {
  for (const [text, name] of [
    ['data: {"error":{"message":"x","code":503}}\n\n', 'overloaded'],
    ['data:{"error":{"code":\ndata:429}}\n\n', 'quota'],
    ['event: error\ndata: text\n\n', 'failed'],
    ['data: [DONE]\n\n', 'failed'],
    ['retry: 3000\n\ndata: {"error":{"code":429}}\n\n', 'quota'],
    ['data: {"type":"error","error":{"type":"overloaded_error"}}\r\n\r\n', 'overloaded'],
    ['data: {"object":"error","message":"x","type":"BadRequestError","code":400}\n\n', 'request'],
    [`${created}${failed}`, 'quota'],
    [`${role}data: {"error":{"code":502,"message":"x"},"choices":[]}\n\n`, 'failed'],
    [`${messageStart}${overloaded}`, 'overloaded'],
  ] as const) {
    const { start } = startOf(text)
    assert.ok(typeof start === 'object', text)
    assert.equal(start.failure.row.name, name)
  }
})

test('What only announces an answer is no beginning', () => {
  const block = (content_block: object) =>
    eventOf({ type: 'content_block_start', index: 0, content_block }, 'content_block_start')
  for (const text of [
    ...[role, created, messageStart, eventOf({ type: 'ping' }, 'ping')],
    ...[eventOf({ type: 'response.queued' }), eventOf({ type: 'response.in_progress' })],
    ...[chunkOf({}), chunkOf({ content: null, tool_calls: [] })],
    ...[
      block({ type: 'text', text: '' }),
      block({ type: 'thinking', thinking: '', signature: '' }),
    ],
    // Azure.
    eventOf({ choices: [], prompt_filter_results: [{ prompt_index: 0 }] }),
  ]) {
    assert.equal(startOf(text).start, 'waiting', text)
    const next = chunkOf({ content: 'a' })
    assert.deepEqual(startOf(`${text}${next}`), {
      at: Buffer.byteLength(text + next),
      start: 'begun',
    })
  }
  for (const text of [
    ...[chunkOf({ content: 'a' }), chunkOf({ reasoning_content: 'a' }), chunkOf({}, 'stop')],
    ...[chunkOf({ tool_calls: [{ index: 0 }] }), eventOf({ choices: [{ text: 'a' }] })],
    ...[
      block({ type: 'tool_use', name: 'a', input: {} }),
      eventOf({ type: 'content_block_delta' }),
    ],
    ...[eventOf({ type: 'response.output_item.added' }), eventOf({ type: 'message_delta' })],
    eventOf({ type: 'image_generation.partial_image' }),
  ]) {
    assert.equal(startOf(text).start, 'begun', text)
  }
})

test('The body of an error is in the form of an HTTP error', () => {
  for (const [text, expected] of [
    [failed, { error: { code: 'rate_limit_exceeded', message: 'x' } }],
    [overloaded, { type: 'error', error: { type: 'overloaded_error' } }],
    [
      eventOf({ type: 'error', code: 'a', message: 'x' }),
      { error: { type: 'error', code: 'a', message: 'x' } },
    ],
  ] as const) {
    const { start } = startOf(text)
    assert.deepEqual(typeof start === 'object' && JSON.parse(start.data), expected)
  }
})

test('What ends before its content has failed, unless it is an answer without streaming', () => {
  const endOf = (text: string) => {
    const reader = new StreamStartReader(() => 0)
    assert.equal(reader.take(Buffer.from(text)), 'waiting', text)
    const start = reader.end()
    return typeof start === 'object' ? start.failure.row.name : start
  }
  for (const [text, expected] of [
    ...([
      ['', 'failed'],
      [': wait\n\n', 'failed'],
      [messageStart, 'failed'],
    ] as const),
    // Without its last line break.
    ...([
      ['data: {"error":{"code":429}}', 'quota'],
      ['data: {"a":1}\n', 'begun'],
    ] as const),
    ...([
      ['data: [DONE]', 'failed'],
      ['{"error":{"code":429}}', 'quota'],
    ] as const),
    ...([
      ['{"detail":"x"}\n', 'failed'],
      ['{"choices":[{"message":{}}]}', 'begun'],
    ] as const),
    ['[{"error":{"code":429}}]', 'quota'],
    ['Bad gateway', 'failed'],
  ] as const) {
    assert.equal(endOf(text), expected, text)
  }
})

test('A body with status 200 is an error if it has one and no result', () => {
  for (const body of [
    ...[{ error: { code: 502 } }, { error: 'x' }, [{ error: {} }], { type: 'error' }],
    ...[{ object: 'error', message: 'x' }, { detail: 'x' }, { error: { code: 1 }, choices: [] }],
  ])
    assert.equal(isErrorBody(body), true, JSON.stringify(body))
  for (const body of [
    ...[
      undefined,
      null,
      'x',
      {},
      { error: null },
      { error: null, choices: [{}] },
      { detail: 'x', id: 1 },
    ],
    ...[
      { error: { code: 1 }, choices: [{}] },
      { object: 'response', error: { code: 'x' }, output: [] },
    ],
  ])
    assert.equal(isErrorBody(body), false, JSON.stringify(body))
})

test('What does not look like events begins when too much is held', () => {
  const reader = new StreamStartReader(() => 0)
  const piece = Buffer.alloc(20_000, 'x')
  assert.deepEqual(
    [1, 2, 3, 4].map(() => reader.take(piece)),
    ['waiting', 'waiting', 'waiting', 'begun'],
  )
})

test('What comes in pieces of one byte is read in linear time', () => {
  const before = process.cpuUsage()
  const start = new StreamStartReader(() => 0)
  for (let count = 0; count < 60_000; count += 1) start.take(Buffer.from(count % 2 ? ':' : '\n'))
  assert.ok(process.cpuUsage(before).user < 2_000_000)
})
