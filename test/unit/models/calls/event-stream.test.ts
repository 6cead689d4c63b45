import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type StreamStart, StreamStartReader } from '../../../../src/models/calls/event-stream.ts'
import { UsageReader } from '../../../../src/models/calls/reported-usage.ts'
import { anthropicEvents, openAiEvents } from '../../../fakes/strict-upstream.ts'

/** The start after each piece of one byte: when it is decided, and how. */
function startOf(text: string): { readonly at: number; readonly start: StreamStart } {
  const reader = new StreamStartReader()
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
  for (const [text, scope] of [
    ['data: {"error":{"message":"x","code":503}}\n\n', 'moment'],
    ['data:{"error":{"code":\ndata:429}}\n\n', 'quota'],
    ['event: error\ndata: text\n\n', 'moment'],
    ['data: [DONE]\n\n', 'moment'],
    ['retry: 3000\n\ndata: {"error":{"code":429}}\n\n', 'quota'],
    ['data: {"type":"error","error":{"type":"overloaded_error"}}\r\n\r\n', 'quota'],
  ] as const) {
    const { start } = startOf(text)
    assert.ok(typeof start === 'object', text)
    assert.equal(start.failure.scope, scope)
  }
  assert.equal(startOf('data: {"error":null,"choices":[]}\n\n').start, 'begun')
})

test('What does not look like events begins when too much is held', () => {
  const reader = new StreamStartReader()
  const piece = Buffer.alloc(20_000, 'x')
  assert.deepEqual(
    [1, 2, 3, 4].map(() => reader.take(piece)),
    ['waiting', 'waiting', 'waiting', 'begun'],
  )
})

const usageOf = (text: string, isStream: boolean, size: number) => {
  const reader = new UsageReader(isStream)
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) reader.take(bytes.subarray(at, at + size))
  return reader.result()
}

test('Tokens are found in answers and streams, in pieces of any size', () => {
  const long = 'x'.repeat(200_000)
  const cases = [
    [openAiEvents('big').join(''), true, { input: 7, output: 5 }],
    [anthropicEvents('big').join(''), true, { input: 7, output: 5 }],
    [
      'data: {"type":"response.completed","response":{"usage":{"input_tokens":3,"output_tokens":4}}}\r\n\r\n',
      true,
      { input: 3, output: 4 },
    ],
    [
      'data: {"message":{"usage":{"input_tokens":1,"cache_read_input_tokens":10,"cache_creation_input_tokens":100,"output_tokens":1}}}\n\n',
      true,
      { input: 111, output: 1, cacheRead: 10, cacheWrite: 100 },
    ],
    [
      'data: {"choices":[{"delta":{"content":"_tokens\\" usage"}}]}\n\ndata: [DONE]\n\n',
      true,
      undefined,
    ],
    [
      `data: ${long}${long}${long}${long}${long}${long}_tokens"\n\n${openAiEvents('big').join('')}`,
      true,
      { input: 7, output: 5 },
    ],
    [
      `{"data":["${long}"],"usage":{"prompt_tokens":9,"total_tokens":9}}`,
      false,
      { input: 9, output: 0 },
    ],
    [
      `{"content":"\\"usage\\":{","usage": {"input_tokens":1,"output_tokens":2},"service_tier":"x"}`,
      false,
      { input: 1, output: 2 },
    ],
    ['{"usage":{"prompt_tokens":-1,"completion_tokens":"5"}}', false, undefined],
    ['{"usage":null}', false, undefined],
    ['no JSON "usage": {', false, undefined],
  ] as const
  for (const [text, isStream, expected] of cases) {
    for (const size of text.length < 5_000 ? [1, 7, 100_000] : [16_384, 1_000_000]) {
      assert.deepEqual(usageOf(text, isStream, size), expected, text.slice(0, 100))
    }
  }
})

test('What comes in pieces of one byte is read in linear time', () => {
  const before = process.cpuUsage()
  const byte = Buffer.from('x')
  for (const isStream of [true, false]) {
    const reader = new UsageReader(isStream)
    for (let count = 0; count < 400_000; count += 1) reader.take(byte)
    for (const one of '\ndata: {"usage":{"prompt_tokens":1,"completion_tokens":2}}\n')
      reader.take(Buffer.from(one))
    assert.deepEqual(reader.result(), { input: 1, output: 2 })
  }
  const start = new StreamStartReader()
  for (let count = 0; count < 60_000; count += 1) start.take(Buffer.from(count % 2 ? ':' : '\n'))
  assert.ok(process.cpuUsage(before).user < 3_000_000)
})

test('More tokens than an answer can have are not believed', () => {
  for (const tokens of ['1e12', '-1', '"5"', '1e999', 'null']) {
    assert.equal(usageOf(`{"usage":{"prompt_tokens":${tokens}}}`, false, 10), undefined)
  }
})
