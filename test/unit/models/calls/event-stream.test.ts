import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventStreamReader } from '../../../../src/models/calls/event-stream.ts'
import { UsageReader } from '../../../../src/models/calls/reported-usage.ts'
import { anthropicEvents, openAiEvents } from '../../../fakes/strict-upstream.ts'

/** The events of a text that arrives in pieces of `size` bytes: name, colon, data. */
function eventsOf(text: string, size: number): readonly string[] {
  const reader = new EventStreamReader()
  const bytes = Buffer.from(text)
  const events = []
  for (let at = 0; at < bytes.length; at += size)
    events.push(...reader.take(bytes.subarray(at, at + size)))
  const last = reader.end()
  return [...events, ...(last === undefined ? [] : [last])].map(
    ({ name, data }) => `${name}:${data}`,
  )
}

test('Events are read by the rules of WHATWG, in pieces of any size', () => {
  for (const [text, ...expected] of [
    ['data: a\n\ndata:b\r\n\r\ndata:  c\r\r', ':a', ':b', ': c'],
    ['\ufeffdata: a\n\n', ':a'],
    ['\ufeff\ufeffdata: a\n\n'],
    ['data: 1\ndata\ndata: 2\n\n', ':1\n\n2'],
    ['event: x\ndata: 1\n\ndata: 2\n\n', 'x:1', ':2'],
    [': comment\nid: 1\nretry: 5\nevent: none\n\ndatax: 1\n\n'],
    // Their end is missing.
    ['data: 1\n', ':1'],
    ['data: [DONE]', ':[DONE]'],
    ['event: error\ndata: 1', 'error:1'],
    ['data: 1\n\n: x', ':1'],
  ] as const) {
    for (const size of [1, 2, 3, 100]) assert.deepEqual(eventsOf(text, size), expected, text)
  }
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
  assert.ok(process.cpuUsage(before).user < 3_000_000)
})

test('More tokens than an answer can have are not believed', () => {
  for (const tokens of ['1e12', '-1', '"5"', '1e999', 'null']) {
    assert.equal(usageOf(`{"usage":{"prompt_tokens":${tokens}}}`, false, 10), undefined)
  }
})

const readStream = (text: string, size: number) => {
  const reader = new UsageReader(true)
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) reader.take(bytes.subarray(at, at + size))
  reader.result()
  return { hasEnded: reader.hasEnded, contentBytes: reader.contentBytes }
}

test('Only a stream with its last event and without an error has ended', () => {
  const chat = openAiEvents('big')
  const messages = anthropicEvents('big')
  const done = 'data: [DONE]\n\n'
  const failed = 'data: {"error":{"code":502},"choices":[{"finish_reason":"error"}]}\n\n'
  for (const [text, hasEnded] of [
    [chat.join(''), true],
    [chat.slice(0, 4).join(''), true],
    [chat.slice(0, 3).join(''), false],
    [chat.slice(0, 3).join('') + failed + done, false],
    [`${chat.slice(0, 3).join('')}data: [DONE]`, true],
    [messages.join(''), true],
    [messages.slice(0, -1).join(''), false],
    [`${messages[0]}event: error\ndata: {"type":"error","error":{}}\n\n`, false],
    ['data: {"type": "response.incomplete", "response": {"error": null}}\n\n', true],
    ['data: {"type":"response.failed","response":{"error":{}}}\n\n', false],
    ['data: {"choices":[{"delta":{"content":"\\"finish_reason\\":\\"stop\\""}}]}\n\n', false],
    ['data: {"choices":[{"finish_reason": null}], "error": null}\n\n', false],
  ] as const) {
    for (const size of [1, 100_000]) assert.equal(readStream(text, size).hasEnded, hasEnded, text)
  }
})

test('The bytes of texts are counted, and not their framing', () => {
  for (const [event, bytes] of [
    [{ id: 'x', choices: [{ delta: { role: 'assistant', content: 'abc' } }] }, 3],
    [{ choices: [{ delta: { reasoning_content: 'ab', content: null } }] }, 2],
    [
      { choices: [{ delta: { tool_calls: [{ id: 'x', function: { arguments: '{"a":1}' } }] } }] },
      9,
    ],
    [{ choices: [{ index: 0, text: 'abcd' }] }, 4],
    [{ type: 'content_block_delta', delta: { type: 'text_delta', text: 'abc' } }, 3],
    [{ type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json: 'ab' } }, 2],
    [{ type: 'response.output_text.delta', item_id: 'x', delta: 'abc' }, 3],
    [{ type: 'response.output_text.done', item_id: 'x', text: 'abc' }, 0],
    [{ type: 'message_start', message: { content: [], usage: {} } }, 0],
  ] as const) {
    assert.equal(
      readStream(`data: ${JSON.stringify(event)}\n\n`, 7).contentBytes,
      bytes,
      JSON.stringify(event),
    )
  }
  const long = `data: {"choices":[{"delta":{"content":"${'\\n'.repeat(400_000)}"}}]}\n\n`
  assert.equal(readStream(long, 16_384).contentBytes, 800_000)
})
