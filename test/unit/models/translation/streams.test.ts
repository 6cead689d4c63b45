import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  chunk,
  everyPair,
  type Json,
  messagesAnswer,
  messagesEvents,
  type Pair,
  streamed,
  toolChunk,
  translationOf,
  usageChunk,
  type Whatever,
} from './translated.ts'

const mc: Pair = ['messages', 'chat']
const rc: Pair = ['responses', 'chat']
const cm: Pair = ['chat', 'messages']
const rm: Pair = ['responses', 'messages']

const typesOf = (events: readonly Whatever[]) => events.map((event) => event.type ?? event)

/** Checks the order that Anthropic documents, and puts the blocks together. */
function blocksOf(events: readonly Whatever[]): readonly Json[] {
  const blocks: Whatever[] = []
  let open: Whatever
  for (const { type, index, content_block, delta } of events) {
    if (type === 'content_block_start') {
      assert.equal(open, undefined, 'blocks overlap')
      assert.equal(index, blocks.length)
      open = { ...content_block, said: '' }
    }
    if (type === 'content_block_delta') {
      assert.equal(index, blocks.length)
      open.said += delta.text ?? delta.thinking ?? delta.partial_json ?? ''
    }
    if (type === 'content_block_stop') {
      blocks.push(open)
      open = undefined
    }
  }
  assert.equal(open, undefined)
  return blocks
}

const twoTools = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ reasoning_content: 'H' }),
  chunk({ reasoning_content: 'm' }),
  chunk({ content: 'Hi' }),
  toolChunk(0, { name: 'f', arguments: '' }, 'a'),
  toolChunk(0, { arguments: '{"x"' }),
  toolChunk(1, { name: 'g', arguments: '{"y"' }, 'b'),
  toolChunk(0, { arguments: ':1}' }),
  toolChunk(1, { arguments: ':2}' }),
  chunk({}, 'tool_calls'),
  usageChunk({
    prompt_tokens: 9,
    completion_tokens: 4,
    prompt_tokens_details: { cached_tokens: 2 },
  }),
  '[DONE]',
]

test('49, 50, 51: reasoning, text and interleaved calls are blocks that do not overlap', () => {
  const events = streamed(mc, twoTools)
  assert.equal(events.filter(({ type }) => type === 'message_start').length, 1)
  const blocks = blocksOf(events)
  assert.deepEqual(
    blocks.map(({ type }) => type),
    ['thinking', 'text', 'tool_use', 'tool_use'],
  )
  assert.deepEqual(
    blocks.map(({ said }) => said),
    ['Hm', 'Hi', '{"x":1}', '{"y":2}'],
  )
  assert.deepEqual(
    blocks.slice(2).map(({ id, name }) => [id, name]),
    [
      ['a', 'f'],
      ['b', 'g'],
    ],
  )
  const [delta, stop] = events.slice(-2)
  assert.equal(delta.delta.stop_reason, 'tool_use')
  // 47: usage that follows the reason.
  assert.deepEqual(
    [delta.usage.input_tokens, delta.usage.cache_read_input_tokens, delta.usage.output_tokens],
    [7, 2, 4],
  )
  assert.equal(stop.type, 'message_stop')
})

test('51: the first call is passed on as it arrives', () => {
  const stream = translationOf(mc, { stream: true }).stream()
  const written = twoTools.map((event) =>
    stream.take(typeof event === 'string' ? event : JSON.stringify(event)),
  )
  assert.match(written[5] ?? '', /partial_json/)
  assert.match(written[6] ?? '', /ping/)
})

test('52: whole calls in one chunk, without index, or all with the same', () => {
  const whole = (made: Json) => chunk({ tool_calls: [{ ...made, type: 'function' }] }, null)
  const one = { id: 'a', function: { name: 'f', arguments: '{"x":1}' } }
  const other = { id: 'b', function: { name: 'g', arguments: { y: 2 } } }
  const forms = [
    [whole({ ...one, index: 0 }), whole({ ...other, index: 1 })],
    [whole({ ...one, index: 0 }), whole({ ...other, index: 0 })],
    [whole(one), whole(other)],
    [chunk({ tool_calls: [one, other] })],
  ]
  for (const form of forms) {
    const blocks = blocksOf(streamed(mc, [...form, chunk({}, 'stop'), '[DONE]']))
    assert.deepEqual(
      blocks.map(({ id, name, said }) => [id, name, said]),
      [
        ['a', 'f', '{"x":1}'],
        ['b', 'g', '{"y":2}'],
      ],
    )
  }
})

test('A name that comes after the id, and text after a call', () => {
  const events = [
    toolChunk(0, { arguments: '' }, 'a'),
    toolChunk(0, { name: 'f', arguments: '{}' }),
    chunk({ content: 'late' }),
    chunk({}, 'tool_calls'),
  ]
  const blocks = blocksOf(streamed(mc, events))
  assert.deepEqual(
    blocks.map(({ type, said }) => [type, said]),
    [
      ['tool_use', '{}'],
      ['text', 'late'],
    ],
  )
})

const answer = messagesAnswer(
  [
    { type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
    { type: 'text', text: 'Hi' },
    { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
    { type: 'tool_use', id: 'toolu_1', name: 'f', input: { x: 1 } },
    { type: 'tool_use', id: 'toolu_2', name: 'g', input: { y: 2 } },
  ],
  'tool_use',
  { cache_read_input_tokens: 5 },
)

test('53: the stream of Chat Completions', () => {
  const events = streamed(cm, messagesEvents(answer), { stream_options: { include_usage: true } })
  assert.equal(events.at(-1), '[DONE]')
  const chunks = events.slice(0, -1)
  assert.equal(chunks[0].choices[0].delta.role, 'assistant')
  assert.ok(
    chunks.every(({ id, object }) => id === 'chatcmpl-1' && object === 'chat.completion.chunk'),
  )
  const deltas = chunks.flatMap(({ choices }) => choices.map((one: Whatever) => one.delta))
  assert.equal(deltas.map((one) => one.content ?? '').join(''), 'Hi')
  assert.equal(deltas.map((one) => one.reasoning_content ?? '').join(''), 'Hm')
  const calls = deltas.flatMap((one) => one.tool_calls ?? [])
  assert.deepEqual(
    calls.flatMap(({ index, id, function: { name } }) => (id ? [[index, id, name]] : [])),
    [
      [0, 'toolu_1', 'f'],
      [1, 'toolu_2', 'g'],
    ],
  )
  const argumentsOf = (index: number) =>
    calls
      .filter((one) => one.index === index)
      .map((one) => one.function.arguments)
      .join('')
  assert.deepEqual([argumentsOf(0), argumentsOf(1)], ['{"x":1}', '{"y":2}'])
  const [finish, usage] = chunks.slice(-2)
  assert.equal(finish.choices[0].finish_reason, 'tool_calls')
  assert.deepEqual(
    [usage.choices, usage.usage.prompt_tokens, usage.usage.completion_tokens],
    [[], 8, 2],
  )
})

test('48: no usage for a client that did not ask', () => {
  const events = streamed(cm, messagesEvents(answer))
  assert.ok(events.every(({ usage }) => usage === undefined))
  assert.equal(events.at(-2).choices[0].finish_reason, 'tool_calls')
})

test('54: the stream of Responses', () => {
  const sources = [
    [rc, twoTools],
    [rm, messagesEvents(answer)],
  ] as const
  for (const [pair, given] of sources) {
    const events = streamed(pair, given)
    assert.deepEqual(
      events.map(({ sequence_number }) => sequence_number),
      events.map((_, index) => index),
    )
    assert.deepEqual(typesOf(events.slice(0, 2)), ['response.created', 'response.in_progress'])
    const { type, response } = events.at(-1)
    assert.deepEqual([type, response.status], ['response.completed', 'completed'])
    const done = events.filter((event) => event.type === 'response.output_item.done')
    assert.deepEqual(
      response.output,
      done.map(({ item }) => item),
    )
    assert.deepEqual(
      done.map(({ output_index }) => output_index),
      [0, 1, 2, 3],
    )
    const added = events.filter((event) => event.type === 'response.output_item.added')
    assert.deepEqual(
      added.map(({ item }) => item.id),
      done.map(({ item }) => item.id),
    )
    assert.equal(new Set(done.map(({ item }) => item.id)).size, 4)
    for (const { item_id, output_index } of events.filter((one) => one.item_id !== undefined)) {
      assert.equal(item_id, done[output_index].item.id)
    }
    assert.deepEqual(
      response.output.map((one: Json) => one.type),
      ['reasoning', 'message', 'function_call', 'function_call'],
    )
    assert.deepEqual(
      response.output.slice(2).map((one: Json) => one.arguments),
      ['{"x":1}', '{"y":2}'],
    )
    const deltas = events.filter((one) => one.type === 'response.output_text.delta')
    assert.equal(deltas.map(({ delta }) => delta).join(''), 'Hi')
    assert.ok(response.usage.total_tokens > 0)
  }
})

test('54: a freeform tool streams its text', () => {
  const tools = [{ type: 'custom', name: 'apply_patch' }]
  const events = streamed(
    rc,
    [
      toolChunk(0, { name: 'apply_patch', arguments: '{"input":' }, 'a'),
      toolChunk(0, { arguments: '"*** Begin"}' }),
      chunk({}, 'tool_calls'),
    ],
    { tools },
  )
  const said = events.filter(({ type }) => type.includes('custom_tool_call_input'))
  assert.deepEqual(
    said.map(({ delta, input }) => delta ?? input),
    ['*** Begin', '*** Begin'],
  )
  assert.equal(events.at(-1).response.output[0].input, '*** Begin')
})

test('55: pings keep the connection alive', () => {
  const events = messagesEvents(answer)
  const stream = translationOf(cm, { stream: true }).stream()
  assert.equal(stream.take('{"type":"ping"}'), ': ping\n\n')
  assert.ok(events.length > 0)
})

test('57: an error in the middle is an error in the form of the client, and no end', () => {
  const chatStart = [chunk({ content: 'Hi' })]
  const messagesStart = messagesEvents(messagesAnswer([{ type: 'text', text: 'Hi' }])).slice(0, 3)
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'busy' } }
  const broken = { error: { message: 'busy', code: 502 } }
  const late = [chunk({ content: 'more' }), chunk({}, 'stop'), '[DONE]']
  const byClient = {
    messages: (last: Whatever) => [last.type, last.error.message],
    chat: (last: Whatever) => ['error', last.error.message],
    responses: (last: Whatever) => [last.type, last.response.error.message],
  }
  for (const pair of everyPair) {
    const [client, upstream] = pair
    const given =
      upstream === 'chat' ? [...chatStart, broken, ...late] : [...messagesStart, overloaded]
    const last = streamed(pair, given).at(-1)
    const name = client === 'responses' ? 'response.failed' : 'error'
    assert.deepEqual(byClient[client](last), [name, 'busy'])
  }
})

test('A conversation that is too long is said in the words by which the client shortens it', () => {
  const error = {
    message: 'maximum context length is 8192 tokens',
    code: 'context_length_exceeded',
  }
  const [message] = streamed(mc, [{ error }])
  assert.match(message.error.message, /^prompt is too long: maximum/)
  assert.equal(message.error.type, 'invalid_request_error')
  const long = {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long: 9 > 8' },
  }
  assert.equal(streamed(rm, [long])[0].response.error.code, 'context_length_exceeded')
})

test('58: a stream that is cut off has no end', () => {
  for (const pair of everyPair) {
    const whole =
      pair[1] === 'chat'
        ? [chunk({ content: 'Hi' }), chunk({ content: ' there' })]
        : messagesEvents(messagesAnswer([{ type: 'text', text: 'Hi' }])).slice(0, -1)
    for (let count = 1; count <= whole.length; count += 1) {
      const stream = translationOf(pair, { stream: true }).stream()
      const text =
        whole
          .slice(0, count)
          .map((one) => stream.take(JSON.stringify(one)))
          .join('') + stream.end()
      assert.doesNotMatch(text, /message_stop|\[DONE\]|response\.completed|finish_reason":"/)
      assert.equal(stream.state, 'open')
    }
  }
})

test('An upstream that writes a reason but no [DONE] has ended, and so has one without a reason', () => {
  assert.equal(
    streamed(mc, [chunk({ content: 'x' }), chunk({}, 'stop')]).at(-1).type,
    'message_stop',
  )
  assert.equal(streamed(mc, [chunk({ content: 'x' }), '[DONE]']).at(-1).type, 'message_stop')
})

test('An empty stream is an error', () => {
  const empty = [
    [mc, [chunk({ role: 'assistant', content: '' }), chunk({}, 'stop'), '[DONE]']],
    [cm, messagesEvents(messagesAnswer([]))],
    [
      rm,
      messagesEvents(messagesAnswer([{ type: 'text', text: '' }])).filter(
        ({ delta }) => !delta || 'stop_reason' in (delta as object),
      ),
    ],
  ] as const
  for (const [pair, events] of empty) {
    assert.match(JSON.stringify(streamed(pair, events).at(-1)), /empty/)
  }
})

test('60: unknown events, blocks and deltas are passed over', () => {
  const events = messagesEvents(answer).flatMap((event) => [
    event,
    { type: 'new_event' },
    { type: 'content_block_delta', delta: { type: 'new_delta' } },
  ])
  assert.equal(streamed(cm, events).at(-1), '[DONE]')
  assert.equal(
    streamed(mc, [{ object: 'new' }, chunk({ content: 'x', new: 1 }), chunk({}, 'new')]).at(-1)
      .type,
    'message_stop',
  )
})

test('What is not JSON ends a stream with an error', () => {
  assert.match(JSON.stringify(streamed(mc, [chunk({ content: 'x' }), 'oops'])), /not JSON/)
})

test('Events that are hostile do not throw', () => {
  const odd = [
    null,
    0,
    'x',
    [],
    {},
    { choices: 0 },
    { choices: [null] },
    { choices: [{ delta: { tool_calls: [null, { function: 1 }] } }] },
  ]
  const odder = odd.flatMap((one) => [
    one,
    { type: 'content_block_start', content_block: one },
    { type: 'message_delta', delta: one, usage: one },
  ])
  for (const pair of everyPair) {
    for (const event of [...odd, ...odder]) {
      translationOf(pair, { stream: true }).stream().take(JSON.stringify(event))
    }
  }
})
