import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  catalogueFacts,
  factsOfCatalogue,
  factsOfUpstream,
} from '../../../../src/models/list/model-facts.ts'

const read = (element: object) => factsOfUpstream(element, 'm')

test('The facts of the catalogue get the names of OpenRouter', () => {
  const given = {
    ...{ name: 'Big', context: 200_000, output: 64_000, modality: 'text+image->text' },
    ...{ parameters: ['tools'], cost: [0.05, 15, null, 0] },
  }
  assert.deepEqual(factsOfCatalogue(catalogueFacts.parse(given)), {
    ...{ name: 'Big', context_length: 200_000, max_output_tokens: 64_000 },
    architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
    supported_parameters: ['tools'],
    pricing: { prompt: '0.00000005', completion: '0.000015', input_cache_write: '0' },
  })
  assert.deepEqual(factsOfCatalogue({}), {})
})

// https://openrouter.ai/docs/api-reference/list-available-models
test('The facts of OpenRouter are kept', () => {
  const architecture = { input_modalities: ['text', 'file'], output_modalities: ['text'] }
  const element = {
    ...{ id: 'm', name: 'M: Big', created: 1_700_000_000, context_length: 128_000 },
    architecture: { ...architecture, modality: 'text+file->text', tokenizer: 'M' },
    pricing: { prompt: '0.000005', completion: '0.00003', request: '0', input_cache_read: '1e-7' },
    top_provider: { context_length: 100_000, max_completion_tokens: 16_384, is_moderated: true },
    supported_parameters: ['tools', 'max_tokens'],
  }
  assert.deepEqual(read(element), {
    ...{ name: 'M: Big', context_length: 128_000, max_output_tokens: 16_384, architecture },
    created: 1_700_000_000,
    ...{ supported_parameters: ['tools', 'max_tokens'] },
    pricing: { prompt: '0.000005', completion: '0.00003' },
  })
})

const limits: readonly [string, object, object][] = [
  // https://platform.claude.com/docs/en/api/models/list
  [
    'Anthropic',
    {
      ...{ display_name: 'Claude', max_input_tokens: 1_000_000, max_tokens: 64_000 },
      created_at: '2026-02-04T00:00:00Z',
    },
    {
      ...{ name: 'Claude', context_length: 1_000_000, max_output_tokens: 64_000 },
      created: 1_770_163_200,
    },
  ],
  // https://console.groq.com/docs/api-reference#models-list
  [
    'Groq',
    { context_window: 8_192, max_completion_tokens: 4_096 },
    { context_length: 8_192, max_output_tokens: 4_096 },
  ],
  // vllm/entrypoints/openai/protocol.py, ModelCard
  ['vLLM', { max_model_len: 32_768, root: '/m' }, { context_length: 32_768 }],
  // https://docs.mistral.ai/api/#tag/models
  ['Mistral', { name: 'm', max_context_length: 131_072 }, { context_length: 131_072 }],
  // Prices there are numbers per million tokens.
  ['Together', { context_length: 8_192, pricing: { input: 0.18 } }, { context_length: 8_192 }],
]
for (const [provider, element, facts] of limits) {
  test(`The limits of ${provider} are read`, () => {
    assert.deepEqual(read({ id: 'm', ...element }), facts)
  })
}

test('What an upstream writes in another form is left out', () => {
  for (const element of [
    { name: ' ', context_length: '8k', max_tokens: 0, supported_parameters: 'tools' },
    { name: 'x'.repeat(201), context_length: -1, max_tokens: 1.5, architecture: [] },
    { name: {}, pricing: { prompt: -1, completion: '-1' }, context_length: null },
    { created: 1_700_000_000_000, created_at: 'soon' },
    { pricing: 'free', architecture: { input_modalities: ['text'] }, top_provider: null },
  ])
    assert.deepEqual(read(element), {})
  const many = { supported_parameters: ['a', 5, 'b'.repeat(300), ...Array(100).fill('c')] }
  assert.equal(read(many).supported_parameters?.length, 62)
})
