import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UnreadableAnswer } from '../../../../src/models/translation/translation.ts'
import {
  answered,
  chatAnswer,
  everyPair,
  type Json,
  messagesAnswer,
  type Pair,
  sent,
  translationOf,
} from './translated.ts'

const mc: Pair = ['messages', 'chat']
const rc: Pair = ['responses', 'chat']
const cm: Pair = ['chat', 'messages']
const rm: Pair = ['responses', 'messages']
const call = (id: string, name = 'f', args = '{"x":1}') => ({
  ...{ id, type: 'function', function: { name, arguments: args } },
})
const text = (one: string) => ({ type: 'text', text: one })

test('Text, reasoning and calls to Messages', () => {
  const message = {
    reasoning_content: 'Hm',
    content: 'Hi',
    tool_calls: [call('a'), call('b', 'g', '')],
  }
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 4,
    prompt_tokens_details: { cached_tokens: 6 },
  }
  const got = answered(mc, chatAnswer(message, 'stop', usage))
  const [thinking, ...others] = got.content
  assert.deepEqual(
    [got.id, got.type, got.role, got.model],
    ['msg_chatcmpl-1', 'message', 'assistant', 'own'],
  )
  assert.deepEqual([thinking.type, thinking.thinking], ['thinking', 'Hm'])
  assert.deepEqual(others, [
    text('Hi'),
    { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
    { type: 'tool_use', id: 'b', name: 'g', input: {} },
  ])
  // 44: `stop` with calls is tool_use. 45: the input of Anthropic is without what was cached.
  assert.equal(got.stop_reason, 'tool_use')
  assert.deepEqual(got.usage, {
    ...{ input_tokens: 4, cache_read_input_tokens: 6, cache_creation_input_tokens: 0 },
    output_tokens: 4,
  })
})

test('Text, reasoning and calls to Responses', () => {
  const message = { reasoning: 'Hm', content: 'Hi', tool_calls: [call('a')] }
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 4,
    completion_tokens_details: { reasoning_tokens: 3 },
  }
  const got = answered(rc, chatAnswer(message, 'tool_calls', usage))
  assert.deepEqual(
    got.output.map((one: Json) => [one.type, one.id]),
    [
      ['reasoning', 'rs_1_0'],
      ['message', 'msg_1_1'],
      ['function_call', 'fc_1_2'],
    ],
  )
  assert.equal(got.id, 'resp_1')
  assert.deepEqual(got.output[0].summary, [{ type: 'summary_text', text: 'Hm' }])
  assert.equal(got.output[1].content[0].text, 'Hi')
  assert.deepEqual([got.output[2].call_id, got.output[2].arguments], ['a', '{"x":1}'])
  assert.deepEqual([got.status, got.store, got.incomplete_details], ['completed', false, null])
  assert.equal(got.usage.output_tokens_details.reasoning_tokens, 3)
  assert.equal(got.usage.total_tokens, 14)
})

test('Text, thinking and calls to Chat Completions', () => {
  const content = [
    { type: 'thinking', thinking: 'Hm', signature: 's' },
    text('Hi'),
    { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
    { type: 'tool_use', id: 'toolu_1', name: 'f', input: { x: 1 } },
  ]
  const usage = { cache_read_input_tokens: 5, cache_creation_input_tokens: 2 }
  const got = answered(cm, messagesAnswer(content, 'tool_use', usage))
  assert.equal(got.object, 'chat.completion')
  const [{ message, finish_reason, index }] = got.choices
  assert.deepEqual([message.content, message.reasoning_content, index], ['Hi', 'Hm', 0])
  assert.deepEqual(message.tool_calls, [call('toolu_1')])
  assert.equal(finish_reason, 'tool_calls')
  assert.deepEqual(
    [got.usage.prompt_tokens, got.usage.completion_tokens, got.usage.total_tokens],
    [10, 2, 12],
  )
  assert.equal(got.usage.prompt_tokens_details.cached_tokens, 5)
})

test('41: reasons why an answer ends', () => {
  const toMessages = [
    ...[
      ['stop', 'end_turn'],
      ['length', 'max_tokens'],
      ['content_filter', 'refusal'],
    ],
    ...[
      ['eos', 'end_turn'],
      ['tool_calls', 'tool_use'],
    ],
  ] as const
  for (const [given, expected] of toMessages) {
    assert.equal(answered(mc, chatAnswer({ content: 'x' }, given)).stop_reason, expected)
  }
  const toChat = [
    ...[
      ['end_turn', 'stop'],
      ['max_tokens', 'length'],
      ['stop_sequence', 'stop'],
      ['refusal', 'content_filter'],
    ],
    ...[
      ['pause_turn', 'stop'],
      ['model_context_window_exceeded', 'length'],
      ['tool_use', 'tool_calls'],
    ],
  ] as const
  for (const [given, expected] of toChat) {
    assert.equal(
      answered(cm, messagesAnswer([text('x')], given)).choices[0].finish_reason,
      expected,
    )
  }
})

test('42: an incomplete response says why', () => {
  for (const [given, reason] of [
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ] as const) {
    const got = answered(rc, chatAnswer({ content: 'x' }, given))
    assert.deepEqual([got.status, got.incomplete_details], ['incomplete', { reason }])
  }
  const got = answered(rm, messagesAnswer([text('x')], 'refusal'))
  assert.equal(got.incomplete_details.reason, 'content_filter')
})

test('43: a refusal in words is a part of its own where there is one', () => {
  const answer = chatAnswer({ refusal: 'No.' }, 'stop')
  assert.deepEqual(answered(rc, answer).output[0].content, [{ type: 'refusal', refusal: 'No.' }])
  assert.deepEqual(answered(mc, answer).content, [text('No.')])
})

test('A blocked answer without words is a refusal, not an empty answer', () => {
  assert.equal(answered(mc, chatAnswer({}, 'content_filter')).stop_reason, 'refusal')
  assert.equal(answered(cm, messagesAnswer([], 'refusal')).choices[0].message.content, null)
})

test('An empty answer, an error in a success and a nameless tool are errors', () => {
  const refused = (pair: Pair, answer: unknown, message: RegExp) =>
    assert.throws(
      () => answered(pair, answer),
      (error) => error instanceof UnreadableAnswer && message.test(error.message),
    )
  for (const pair of [mc, rc]) {
    refused(pair, chatAnswer({}), /empty/)
    refused(pair, chatAnswer({ content: '' }), /empty/)
    refused(pair, { error: { message: 'broken', code: 500 } }, /broken/)
    refused(pair, chatAnswer({ tool_calls: [call('a', '')] }), /without a name/)
    refused(pair, chatAnswer({ content: 'x' }, 'error'), /stopped: error/)
    refused(pair, chatAnswer({}, 'tool_calls'), /empty/)
    refused(pair, {}, /empty/)
    refused(pair, [], /empty/)
  }
  for (const pair of [cm, rm]) {
    refused(pair, messagesAnswer([]), /empty/)
    refused(pair, messagesAnswer([text('')]), /empty/)
    refused(pair, { type: 'error', error: { type: 'api_error', message: 'broken' } }, /broken/)
  }
  assert.throws(() => translationOf(mc, {}).answer(Buffer.from('<html>')), UnreadableAnswer)
})

test('13, 22: ids and names in an answer come back as the upstream wrote them', () => {
  for (const id of ['functions.f:0', 'call ü', `${'l'.repeat(300)}.`, 'bkt_x']) {
    const { content } = answered(mc, chatAnswer({ tool_calls: [call(id)] }))
    assert.match(content[0].id, /^[\w-]+$/)
    const result = { type: 'tool_result', tool_use_id: content[0].id, content: 'done' }
    const messages = [
      { role: 'assistant', content },
      { role: 'user', content: [result] },
    ]
    const again = sent(mc, { messages })
    assert.equal(again.messages[0].tool_calls[0].id, id)
    assert.equal(again.messages[1].tool_call_id, id)
  }
  const [one, other] = answered(mc, chatAnswer({ tool_calls: [call(''), call('')] })).content
  assert.match(one.id, /^[\w-]+$/)
  assert.notEqual(one.id, other.id)
})

test('21, 22: freeform and grouped tools come back as the client knows them', () => {
  const tools = [
    { type: 'custom', name: 'apply_patch' },
    { type: 'namespace', name: 'mcp', tools: [{ type: 'function', name: 'n'.repeat(90) }] },
  ]
  const names = sent(rc, { tools }).tools.map(
    (tool: { function: { name: string } }) => tool.function.name,
  )
  const calls = [
    call('a', names[0], '{"input":"*** Begin"}'),
    call('b', names[1]),
    call('c', names[0], 'raw'),
  ]
  const { output } = answered(rc, chatAnswer({ tool_calls: calls }), { tools })
  assert.deepEqual(
    [output[0].type, output[0].name, output[0].input],
    ['custom_tool_call', 'apply_patch', '*** Begin'],
  )
  assert.deepEqual([output[1].namespace, output[1].name], ['mcp', 'n'.repeat(90)])
  assert.equal(output[2].input, 'raw')
})

test('28, 29, 31: reasoning returns to its provider with its proof, and to no other', () => {
  const thinking = [
    { type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
    { type: 'redacted_thinking', data: 'ZGF0YQ' },
  ]
  const { output } = answered(rm, messagesAnswer([...thinking, text('a')]))
  const input = [{ role: 'user', content: 'Hi' }, ...output, { role: 'user', content: 'on' }]
  const same = sent(rm, { input })
  assert.deepEqual(same.messages[1].content, [...thinking, text('a')])
  const result = { type: 'function_call_output', call_id: 'c', output: 'done' }
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
  const reasoning = { reasoning: { effort: 'low' }, input: [...output, call, result] }
  assert.equal(sent(rm, reasoning).thinking.type, 'enabled')
  assert.equal(sent(rm, reasoning, { provider: 'other' }).thinking, undefined)
  const other = sent(rm, { input }, { provider: 'other' })
  assert.deepEqual(other.messages[1].content, [text('a')])
  assert.deepEqual(translationOf(rm, { input }, { provider: 'other' }).ignored, ['input.summary'])
})

test('30: reasoning of a chat upstream returns to it as it expects it', () => {
  const { content } = answered(mc, chatAnswer({ reasoning_content: 'Hm', tool_calls: [call('a')] }))
  const messages = [{ role: 'assistant', content }]
  assert.equal(sent(mc, { messages }).messages[0].reasoning_content, 'Hm')
  assert.equal(
    sent(mc, { messages }, { provider: 'other' }).messages[0].reasoning_content,
    undefined,
  )
  const { output } = answered(rc, chatAnswer({ reasoning_content: 'Hm', tool_calls: [call('a')] }))
  assert.equal(sent(rc, { input: output }).messages[0].reasoning_content, 'Hm')
})

test('An answer that is no stream becomes one for a client that asked for it', () => {
  for (const pair of everyPair) {
    const answer = pair[1] === 'chat' ? chatAnswer({ content: 'Hi' }) : messagesAnswer([text('Hi')])
    const bytes = translationOf(pair, { stream: true }).answer(Buffer.from(JSON.stringify(answer)))
    assert.match(String(bytes), /^(?:event: \w|data: \{)/)
    assert.match(String(bytes), /"Hi"/)
    assert.match(String(bytes), /\[DONE\]|message_stop|response\.completed/)
  }
})
