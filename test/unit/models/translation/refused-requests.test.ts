import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  chatUsed,
  cm,
  ignoredBy,
  type Json,
  mc,
  messagesTool,
  type Pair,
  rc,
  responsesTool,
  sent,
  text,
  used,
  user,
  type Whatever,
} from './translated.ts'

const longId = 'x'.repeat(70)

/** What changes the answer, and what the client reads about it. */
const refusals: readonly (readonly [title: string, pair: Pair, body: Json, field: string])[] = [
  ['6: five stops', mc, { stop_sequences: [...'abcde'] }, 'more than 4 stop sequences'],
  [
    '20: web search of Anthropic',
    mc,
    { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    'tools.0.type',
  ],
  [
    '20: web search of OpenAI',
    rc,
    { tools: [responsesTool, { type: 'web_search' }] },
    'tools.1.type',
  ],
  [
    '20: web search options',
    cm,
    { web_search_options: { search_context_size: 'low' } },
    'web_search_options',
  ],
  ['37: several answers', cm, { n: 2 }, 'n'],
  ['38: logprobs', cm, { logprobs: true }, 'logprobs'],
  ['38: top_logprobs', rc, { top_logprobs: 2 }, 'top_logprobs'],
  ['audio in an answer', cm, { modalities: ['text', 'audio'] }, 'modalities'],
  [
    'audio in a question',
    cm,
    { messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] },
    'messages.0.content.0.type',
  ],
  ['background', rc, { background: true }, 'background'],
  ['a stored response', rc, { store: true }, 'store'],
  ['a conversation', rc, { conversation: 'conv_1' }, 'conversation'],
  ['a prompt of the provider', rc, { prompt: { id: 'p' } }, 'prompt'],
  ['17: a previous response', rc, { previous_response_id: 'resp_1' }, 'previous_response_id'],
  ['a reference to an item', rc, { input: [{ type: 'item_reference', id: 'i' }] }, 'input.0.type'],
  ['MCP servers', mc, { mcp_servers: [{ url: 'https://a' }] }, 'mcp_servers'],
  ['a container', mc, { container: 'c' }, 'container'],
  [
    'a block of a hosted tool',
    mc,
    { messages: [{ role: 'assistant', content: [{ type: 'server_tool_use' }] }] },
    'messages.0.content.0.type',
  ],
  ['old functions', cm, { functions: [{ name: 'f' }] }, 'functions'],
  [
    'a file of the provider',
    rc,
    { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] },
    'input.0.content.0.file_id',
  ],
  [
    'a document by URL',
    mc,
    {
      messages: [
        {
          role: 'user',
          content: [{ type: 'document', source: { type: 'url', url: 'https://a' } }],
        },
      ],
    },
    'the URL of a document',
  ],
  ['biases', cm, { logit_bias: { 1: 2 } }, 'logit_bias'],
  ['a wrong type', cm, { messages: [{ role: 'user', content: [3] }] }, 'messages.0.content.0'],
  ['a wrong number', mc, { max_tokens: '5' }, 'max_tokens'],
  [
    'a local path',
    cm,
    {
      messages: [
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }],
        },
      ],
    },
    'messages.0.content.0.image_url.url',
  ],
]

for (const [title, pair, body, field] of refusals) {
  test(`Refused: ${title}`, () => {
    assert.throws(
      () => sent(pair, body),
      (error: Whatever) => {
        assert.equal(error.status, 400)
        assert.equal(error.field, field)
        assert.match(error.message, /nothing for|must be|not found/)
        return true
      },
    )
  })
}

test('17: a previous response is not found in the words of OpenAI', () => {
  const body = { previous_response_id: 'resp_1' }
  const expected = {
    code: 'previous_response_not_found',
    message: "Previous response with id 'resp_1' not found.",
  }
  assert.throws(() => sent(rc, body), expected)
})

test('13: ids that an upstream does not accept are mapped, the same way for the call and its result', () => {
  for (const id of [longId, 'functions.f:0', 'ü', '']) {
    const { messages } = sent(cm, chatUsed(id))
    const mapped = messages[1].content[0].id
    assert.match(mapped, /^[\w-]{1,64}$/)
    assert.equal(messages[2].content[0].tool_use_id, mapped)
  }
  const { messages } = sent(mc, used(longId))
  assert.match(messages[1].tool_calls[0].id, /^[\w-]{1,40}$/)
  assert.equal(messages[2].tool_call_id, messages[1].tool_calls[0].id)
})

test('22: long names of tools are mapped, wherever they are', () => {
  const name = `mcp__${'n'.repeat(80)}`
  const body = {
    tools: [{ ...messagesTool, name }],
    tool_choice: { type: 'tool', name },
    messages: [
      user,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name, input: {} }] },
    ],
  }
  const { tools, tool_choice, messages } = sent(mc, body)
  assert.match(tools[0].function.name, /^[\w-]{1,64}$/)
  assert.equal(tool_choice.function.name, tools[0].function.name)
  assert.equal(messages[1].tool_calls[0].function.name, tools[0].function.name)
  const other = sent(mc, { tools: [{ ...messagesTool, name: `${name}x` }] })
  assert.notEqual(other.tools[0].function.name, tools[0].function.name)
})

test('32: Anthropic models since 4.6 take an effort, earlier ones a budget', () => {
  const thinkingOf = (model: string) => {
    const { thinking, output_config } = sent(cm, { reasoning_effort: 'high' }, { model })
    return output_config?.effort ?? thinking.type
  }
  for (const model of [
    'claude-3-7-sonnet-20250219',
    'claude-sonnet-4-20250514',
    'claude-opus-4-5',
    'kimi-k2',
  ])
    assert.equal(thinkingOf(model), 'enabled', model)
  for (const model of ['claude-opus-4-6', 'claude-sonnet-5-5', 'anthropic.claude-opus-4-8'])
    assert.equal(thinkingOf(model), 'high', model)
})

test('Names of ignored fields are bounded and fit into a header', () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, 1]))
  const names = ignoredBy(cm, { 'é\r\nx: y': 1, ['l'.repeat(1000)]: 1, ...many })
  assert.equal(names.length, 30)
  for (const name of names) assert.match(name, /^[\w.-]{1,100}$/)
})

test('Thousands of messages, blocks and tools take linear time', () => {
  const turns = Array.from({ length: 20_000 }, () => ({
    role: 'user',
    content: [text('x'), text('y')],
  }))
  const tools = Array.from({ length: 5_000 }, (_, index) => ({
    type: 'function',
    function: { name: `f${index}` },
  }))
  const startedAt = process.cpuUsage()
  assert.equal(sent(cm, { messages: turns, tools }).messages.length, 1)
  const { user: micros } = process.cpuUsage(startedAt)
  assert.ok(micros < 3_000_000, `${micros} µs`)
})

test('3: the limit of a model is the most that is asked for, and the default of Anthropic', () => {
  const options = { maxOutput: 5_000 }
  assert.equal(sent(cm, {}, options).max_tokens, 5_000)
  assert.equal(sent(cm, { max_tokens: 10 }, options).max_tokens, 10)
  assert.equal(sent(mc, { max_tokens: 32_000 }, options).max_tokens, 5_000)
  assert.equal(sent(rc, {}, options).max_tokens, undefined)
})
