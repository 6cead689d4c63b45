import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callPaths } from '../../../../src/models/calls/call-paths.ts'
import { costOf, mostUsed, withPrice } from '../../../../src/models/calls/costs.ts'
import { UsageReader } from '../../../../src/models/calls/reported-usage.ts'
import type { CallTarget } from '../../../../src/models/list/resolve-model.ts'
import type { ModelPrice } from '../../../../src/models/list/routing-inputs.ts'

const sonnet = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }

const target = (price?: ModelPrice, maxOutput?: number): CallTarget => ({
  connection: {
    ...{ id: 'c', provider: 'lab', prefix: undefined, baseUrl: undefined, apiKey: undefined },
    ...{ enabledModels: undefined, priority: 1, weight: 1, price: undefined },
  },
  ...{ ownId: 'big', listedId: 'lab/big', price, maxOutput },
})

/** Usage at the end of an answer, and the tokens and the cost that are read from it. */
function read(usage: object) {
  const reader = new UsageReader(false)
  reader.take(Buffer.from(JSON.stringify({ id: 'a', usage })))
  return reader.result()
}

test('Tokens from and to the cache have their own price', () => {
  assert.equal(costOf(sonnet, { input: 1_000, output: 100 }), 4_500)
  const tokens = { input: 1_000, output: 100, cacheRead: 700, cacheWrite: 200 }
  assert.equal(costOf(sonnet, tokens), 300 + 210 + 750 + 1_500)
  assert.equal(costOf({ input: 3, output: 15 }, tokens), 4_500)
  // No call is free, and none is too dear.
  assert.equal(costOf({ input: 0.02, output: 0 }, { input: 1, output: 0 }), 1)
  assert.equal(costOf({ input: 0.1, output: 0.2 }, { input: 1_000, output: 1_000 }), 300)
  assert.equal(costOf({ input: 0, output: 0 }, tokens), 0)
  // An upstream that reports more from the cache than in all.
  assert.equal(costOf(sonnet, { input: 1, output: 0, cacheRead: 10 }), 3)
})

test('The tokens of the cache are read in the form of each provider', () => {
  const openai = {
    ...{ prompt_tokens: 100, completion_tokens: 5 },
    prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 20 },
  }
  const cached = { input: 100, output: 5, cacheRead: 60, cacheWrite: 20 }
  assert.deepEqual(read(openai), cached)
  const responses = { input_tokens: 100, output_tokens: 5 }
  const { cacheWrite: _, ...onlyRead } = cached
  assert.deepEqual(read({ ...responses, input_tokens_details: { cached_tokens: 60 } }), onlyRead)
  const anthropic = {
    ...{ input_tokens: 20, output_tokens: 5 },
    ...{ cache_read_input_tokens: 60, cache_creation_input_tokens: 20 },
  }
  assert.deepEqual(read(anthropic), cached)
})

test('The cost that an upstream reports is read', () => {
  const cases = [
    // https://openrouter.ai/docs/use-cases/usage-accounting
    [{ cost: 0.95, cost_details: { upstream_inference_cost: 19 } }, 950_000],
    // https://docs.perplexity.ai/api-reference/chat-completions-post
    [{ cost: { input_tokens_cost: 0, request_cost: 0.005, total_cost: 0.006 } }, 6_000],
    // https://docs.x.ai/developers/cost-tracking
    [{ cost_in_usd_ticks: 37_756_000 }, 3_776],
    [{ cost: 0 }, 0],
    [{ cost: '1' }, undefined],
    [{ cost: -1 }, undefined],
    [{ cost: 1e9 }, undefined],
  ] as const
  for (const [cost, expected] of cases) {
    const usage = { prompt_tokens: 1, completion_tokens: 1, ...cost }
    assert.equal(read(usage)?.costMicros, expected, JSON.stringify(cost))
  }
})

function most(name: string, given: object, targets: readonly CallTarget[]) {
  const value = (field: string) => (given as Record<string, unknown>)[field]
  const path = callPaths.find((one) => one.path === name)
  assert.ok(path !== undefined)
  return mostUsed(path, { bytes: 400, fields: { bytes: () => undefined, value } }, targets)
}

test('The most that a call may use is reserved', () => {
  const targets = [target({ input: 1, output: 2 }), target(sonnet, 64_000), target()]
  const chat = (given: object) => most('/chat/completions', given, targets)
  // All that the model can write, or 128,000 tokens if that is not known.
  assert.deepEqual(chat({}), { inputTokens: 100, tokens: 128_100, micros: 960_375 })
  assert.equal(chat({ max_tokens: 10 }).micros, 375 + 150)
  assert.equal(chat({ max_tokens: 10 }).tokens, 110)
  assert.equal(chat({ max_completion_tokens: 20, max_tokens: 10 }).micros, 375 + 300)
  // An upstream may ignore a value of another type.
  for (const max_tokens of [0, -1, '10', true, [10], null, {}])
    assert.equal(chat({ max_tokens }).tokens, 128_100)
  assert.equal(chat({ max_tokens: 1e12 }).tokens, 1_000_100)
  // Several answers.
  assert.equal(chat({ max_tokens: 10, n: 5 }).tokens, 150)
  assert.equal(most('/completions', { max_tokens: 10, best_of: 5 }, targets).tokens, 150)
  assert.ok(Number.isFinite(chat({ n: Number.POSITIVE_INFINITY }).tokens))
})

test('A limit that the API of a path does not have reserves no less', () => {
  const targets = [target(sonnet, 64_000)]
  assert.equal(most('/chat/completions', { max_output_tokens: 1 }, targets).tokens, 64_100)
  assert.equal(most('/responses', { max_output_tokens: 1 }, targets).tokens, 101)
  assert.equal(most('/responses', { max_tokens: 1 }, targets).tokens, 64_100)
  assert.equal(most('/messages', { max_completion_tokens: 1 }, targets).tokens, 64_100)
  // Images are billed by other units.
  assert.equal(most('/images/generations', {}, [target(sonnet)]).tokens, 1_000)
})

test('A limit in money needs a price', () => {
  const free = target({ input: 0, output: 0 })
  assert.deepEqual(withPrice([target(), free], 'lab/big'), [free])
  assert.throws(() => withPrice([target()], 'lab/big'), { status: 403, code: 'model_not_allowed' })
})

test('A wrong price adds up to a sum that can be stored', () => {
  const tokens = { input: 1e9, output: 1e9 }
  assert.equal(costOf({ input: 1e15, output: 1e15 }, tokens), 1e9)
})
