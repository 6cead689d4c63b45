import {
  chatTool,
  chatUsed,
  cm,
  type Json,
  mc,
  messagesTool,
  type Pair,
  type RequestCase,
  rc,
  responsesTool,
  rm,
  schema,
  testRequests,
} from './translated.ts'

testRequests([
  { title: '3: max_tokens is required', pair: cm, body: {}, sent: { max_tokens: 8192 } },
  {
    title: '4: max_completion_tokens',
    pair: cm,
    body: { max_completion_tokens: 7, max_tokens: 9 },
    sent: { max_tokens: 7 },
  },
  {
    title: '4: max_output_tokens',
    pair: rc,
    body: { max_output_tokens: 7 },
    sent: { max_tokens: 7 },
  },
  {
    title: '5: temperature ends at 1',
    pair: cm,
    body: { temperature: 1.5 },
    sent: { temperature: 1 },
    ignored: ['temperature'],
  },
  {
    title: '5: either temperature or top_p',
    pair: cm,
    body: { temperature: 0.5, top_p: 0.9 },
    sent: { temperature: 0.5, top_p: undefined },
    ignored: ['top_p'],
  },
  { title: '6: one stop', pair: cm, body: { stop: 'X' }, sent: { stop_sequences: ['X'] } },
  {
    title: '6: stop_sequences',
    pair: mc,
    body: { stop_sequences: ['X', 'Y'] },
    sent: { stop: ['X', 'Y'] },
  },
  {
    title: '16: a tool without parameters, to Anthropic',
    pair: cm,
    body: { tools: [{ type: 'function', function: { name: 'f' } }] },
    sent: { 'tools.0.input_schema': { type: 'object', properties: {} } },
  },
  {
    title: '16: a tool without a schema, to OpenAI',
    pair: mc,
    body: { tools: [{ name: 'f' }] },
    sent: { 'tools.0.function.parameters': { type: 'object', properties: {} } },
  },
  ...choices(),
  {
    title: '19: parallel_tool_calls',
    pair: cm,
    body: { tools: [chatTool], parallel_tool_calls: false },
    sent: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
  },
  {
    title: '19: disable_parallel_tool_use',
    pair: mc,
    body: { tools: [messagesTool], tool_choice: { type: 'any', disable_parallel_tool_use: true } },
    sent: { tool_choice: 'required', parallel_tool_calls: false },
  },
  {
    title: '32: effort to a model that takes a budget',
    pair: cm,
    body: { reasoning_effort: 'low', temperature: 0.2 },
    sent: {
      thinking: { type: 'enabled', budget_tokens: 2048 },
      max_tokens: 10240,
      temperature: undefined,
    },
    ignored: ['temperature'],
  },
  {
    title: '32: a budget below max_tokens',
    pair: rm,
    body: { reasoning: { effort: 'high' }, max_output_tokens: 2000 },
    sent: { thinking: { type: 'enabled', budget_tokens: 1999 }, max_tokens: 2000 },
  },
  {
    title: '32: a budget is an effort',
    pair: mc,
    body: { thinking: { type: 'enabled', budget_tokens: 10_000 } },
    sent: { reasoning_effort: 'medium' },
  },
  {
    title: '32: effort of Anthropic',
    pair: mc,
    body: { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
    sent: { reasoning_effort: 'xhigh' },
  },
  {
    title: '32: what cannot be said about thinking is named',
    pair: mc,
    body: { thinking: { type: 'disabled' } },
    sent: { reasoning_effort: undefined },
    ignored: ['thinking.type'],
  },
  {
    title: '32: no thinking while a tool is forced',
    pair: cm,
    body: { reasoning_effort: 'high', tools: [chatTool], tool_choice: 'required' },
    sent: { thinking: undefined },
    ignored: ['reasoning_effort'],
  },
  {
    title: '32: no thinking after a call without it',
    pair: cm,
    body: { ...chatUsed('a'), reasoning_effort: 'high' },
    sent: { thinking: undefined },
    ignored: ['reasoning_effort'],
  },
  {
    title: '33: JSON schema to Anthropic',
    pair: cm,
    body: {
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } },
    },
    sent: {
      'output_config.format': {
        type: 'json_schema',
        schema: { ...schema, additionalProperties: false },
      },
    },
  },
  {
    title: '33: the objects of a JSON schema are closed for Anthropic',
    pair: cm,
    body: {
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'n',
          schema: {
            anyOf: [{ type: 'object', properties: { a: { type: 'array', items: schema } } }],
            default: { type: 'object' },
            properties: { default: { type: ['object', 'null'] }, type: { enum: [schema] } },
            $defs: { open: { type: 'object', additionalProperties: true }, enum: schema },
          },
        },
      },
    },
    sent: {
      'output_config.format.schema': {
        anyOf: [
          {
            type: 'object',
            properties: {
              a: { type: 'array', items: { ...schema, additionalProperties: false } },
            },
            additionalProperties: false,
          },
        ],
        default: { type: 'object' },
        properties: {
          default: { type: ['object', 'null'], additionalProperties: false },
          type: { enum: [schema] },
        },
        $defs: {
          open: { type: 'object', additionalProperties: true },
          enum: { ...schema, additionalProperties: false },
        },
      },
    },
  },
  {
    title: '33: JSON schema to OpenAI',
    pair: mc,
    body: { output_config: { format: { type: 'json_schema', schema } } },
    sent: {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', schema, strict: true },
      },
    },
  },
  {
    title: '34: a JSON object, to Anthropic',
    pair: cm,
    body: { response_format: { type: 'json_object' } },
    sent: { system: 'Answer with one JSON object and nothing else.' },
    ignored: ['response_format'],
  },
  {
    title: '35: text.format',
    pair: rc,
    body: {
      text: { format: { type: 'json_schema', name: 'n', schema, strict: false }, verbosity: 'low' },
    },
    sent: {
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: false } },
    },
    ignored: ['text.verbosity'],
  },
  {
    title: '35: text.format of an object',
    pair: rc,
    body: { text: { format: { type: 'json_object' } } },
    sent: { response_format: { type: 'json_object' } },
  },
  {
    title: '36: strict tools',
    pair: cm,
    body: {
      tools: [{ type: 'function', function: { name: 'f', parameters: schema, strict: true } }],
    },
    sent: { 'tools.0.strict': true },
  },
  {
    title: '36: strict tools of Anthropic',
    pair: mc,
    body: { tools: [{ ...messagesTool, strict: true }] },
    sent: { 'tools.0.function.strict': true },
  },
  {
    title: '39, 40: fields without effect are named',
    pair: cm,
    body: {
      seed: 1,
      user: 'u',
      service_tier: 'flex',
      metadata: { a: 'b' },
      presence_penalty: 0,
      unknown_field: { a: 1 },
    },
    ignored: ['seed', 'user', 'service_tier', 'metadata', 'unknown_field'],
  },
  {
    title: '39: metadata.user_id',
    pair: mc,
    body: { metadata: { user_id: 'u' }, top_k: 5 },
    ignored: ['metadata', 'top_k'],
  },
  {
    title: '48: a stream reports its usage',
    pair: mc,
    body: { stream: true },
    sent: { stream: true, stream_options: { include_usage: true } },
  },
  {
    title: 'the model is the resolved one',
    pair: rc,
    body: { model: 'other', models: ['other'], fallbacks: [{ model: 'other' }] },
    sent: { model: 'own', models: undefined, fallbacks: undefined },
    ignored: ['models', 'fallbacks'],
  },
])

/** 18: each choice in each pair. */
function choices(): readonly RequestCase[] {
  const named = (pair: Pair, tools: Json, choice: unknown, expected: unknown): RequestCase => ({
    title: `18: ${pair.join(' to ')}, choice ${JSON.stringify(choice)}`,
    ...{ pair, body: { tools: [tools], tool_choice: choice }, sent: { tool_choice: expected } },
  })
  const one = { type: 'function', function: { name: 'f' } }
  const simple = ['auto', 'none', 'required'] as const
  const types = { auto: 'auto', none: 'none', required: 'any' }
  return [
    ...simple.map((choice) => named(cm, chatTool, choice, { type: types[choice] })),
    ...simple.map((choice) => named(rm, responsesTool, choice, { type: types[choice] })),
    ...simple.map((choice) => named(rc, responsesTool, choice, choice)),
    ...simple.map((choice) => named(mc, messagesTool, { type: types[choice] }, choice)),
    named(cm, chatTool, one, { type: 'tool', name: 'f' }),
    named(mc, messagesTool, { type: 'tool', name: 'f' }, one),
    named(rc, responsesTool, { type: 'function', name: 'f' }, one),
    named(rm, responsesTool, { type: 'function', name: 'f' }, { type: 'tool', name: 'f' }),
  ]
}
