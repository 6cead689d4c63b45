import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallIndex } from '../../../../src/models/calls/call-index.ts'
import type { ModelFacts } from '../../../../src/models/list/model-facts.ts'
import { UpstreamError } from '../../../../src/models/upstream/upstream.ts'
import { ApiError } from '../../../../src/platform/json-api/api-error.ts'
import { listsOf, type SourceRows } from '../../../support/models-app.ts'
import { smallCatalogue } from '../../../support/small-catalogue.ts'

const chat = new Set(['llm'] as const)
const lab = {
  ...{ id: 'c1', provider: 'openai-compatible-lab', apiKey: 'k', createdAtMs: 1 },
  providerSpecificData: { baseUrl: 'http://h/v1', prefix: 'lab' },
}

/** An index whose upstream lists `ids`, or fails. */
function open(state: SourceRows, ids: string[]) {
  const facts = new Map<string, ModelFacts>()
  const world = { nowMs: 0, asked: 0, isFailing: false, status: 0, ids, isWhole: true, facts }
  const index = new CallIndex({
    lists: listsOf(state),
    catalogue: smallCatalogue,
    upstreams: {
      models: async ({ apiKey = '' }) => {
        world.asked += 1
        if (apiKey === '') throw new UpstreamError('no-key')
        if (world.isFailing) throw new UpstreamError('unreachable')
        if (world.status > 0) throw new UpstreamError('status', { status: world.status })
        const { ids, isWhole, facts } = world
        return { status: 200, ids, isWhole, facts: () => facts }
      },
    },
    now: () => world.nowMs,
  })
  /** @param allowed ids, or the beginnings of them. Default: all. */
  const ownIds = async (id: string, ...allowed: string[]) => {
    const allows = (one: string) =>
      allowed.length === 0 || allowed.some((begin) => one.startsWith(begin))
    const assertAllowed = (one: string) => {
      if (!allows(one)) throw new ApiError(403, `not allowed: ${one}`)
    }
    const { targets } = await index.resolve(id, chat, { allows, assertAllowed })
    return targets.map(({ ownId }) => ownId)
  }
  return { world, ownIds, index }
}

test('An upstream is asked once for the models that it has, and not for those of others', async () => {
  const alpha = { id: 'c2', provider: 'alpha', createdAtMs: 2 }
  const { world, ownIds } = open({ connections: [lab, alpha] }, ['big'])
  assert.deepEqual(await ownIds('alpha/chat-1'), ['chat-1'])
  assert.equal(world.asked, 0)
  for (let count = 0; count < 3; count += 1) assert.deepEqual(await ownIds('lab/big'), ['big'])
  assert.equal(world.asked, 1)
  world.nowMs += 301_000
  await ownIds('lab/big')
  assert.equal(world.asked, 2)
})

test('A model that an upstream did not have is asked for again after some seconds', async () => {
  const { world, ownIds } = open({ connections: [lab] }, ['big'])
  await assert.rejects(ownIds('lab/new'), { status: 404, code: 'model_not_found' })
  world.ids = ['big', 'new']
  await assert.rejects(ownIds('lab/new'), { status: 404 })
  world.nowMs += 5_001
  assert.deepEqual(await ownIds('lab/new'), ['new'])
  assert.equal(world.asked, 2)
})

test('While an upstream does not answer, its models are called, and of others nothing is said', async () => {
  const { world, ownIds } = open({ connections: [lab] }, ['big'])
  await ownIds('lab/big')
  world.isFailing = true
  world.nowMs += 301_000
  assert.deepEqual(await ownIds('lab/big'), ['big'])
  world.nowMs += 5_001
  await assert.rejects(ownIds('lab/other'), { status: 503, message: /not known/ })
})

test('A combo has the models of upstreams that were not asked before', async () => {
  const combos = [{ name: 'smart', models: ['lab/big'] }]
  const { world, ownIds } = open({ connections: [lab], combos }, ['big'])
  assert.deepEqual(await ownIds('smart'), ['big'])
  assert.equal(world.asked, 1)
})

test('An upstream that answers without a list may have every model with its prefix', async () => {
  const combos = [{ name: 'smart', models: ['lab/big', 'alpha/chat-1'] }]
  const alpha = { id: 'c2', provider: 'alpha', createdAtMs: 2 }
  for (const status of [200, 401, 403, 404, 405, 501]) {
    const { world, ownIds } = open({ connections: [lab, alpha], combos }, ['big'])
    world.status = status
    assert.deepEqual(await ownIds('lab/any/thing'), ['any/thing'])
    assert.deepEqual(await ownIds('smart'), ['big', 'chat-1'])
    for (const id of ['lab/', 'lab', 'labs/x', 'alpha/x', 'none'])
      await assert.rejects(ownIds(id), { status: 404 }, id)
    const { asked } = world
    await ownIds('lab/other')
    assert.equal(world.asked, asked)
    // Now it has one.
    world.status = 0
    world.nowMs += 301_000
    assert.deepEqual(await ownIds('lab/big'), ['big'])
    await assert.rejects(ownIds('lab/other'), { status: 404 })
  }
})

test('Whether an upstream that fails for the moment has a model is not known', async () => {
  for (const status of [408, 429, 500, 503]) {
    const { world, ownIds } = open({ connections: [lab] }, ['big'])
    world.status = status
    await assert.rejects(ownIds('lab/big'), { status: 503, message: /not known/ })
  }
})

test('An upstream that is never asked may have every model with its prefix', async () => {
  const keyless = { ...lab, apiKey: '' }
  const imported = { ...lab, provider: 'openai-compatible-0123abcd' }
  for (const connection of [keyless, imported]) {
    const { ownIds } = open({ connections: [connection] }, ['big'])
    assert.deepEqual(await ownIds('lab/any'), ['any'])
  }
})

const other = {
  ...{ id: 'c3', provider: 'openai-compatible-open', createdAtMs: 3 },
  providerSpecificData: { baseUrl: 'http://o', prefix: 'open', enabledModels: ['big', 'a/b'] },
}

test("The provider's own id of a model is enough where one provider has it", async () => {
  const combos = [{ name: 'small', models: ['open/big'] }]
  const { ownIds } = open({ connections: [lab, other], combos }, ['tiny', 'small', 'big'])
  assert.deepEqual(await ownIds('tiny'), ['tiny'])
  assert.deepEqual(await ownIds('a/b'), ['a/b'])
  assert.deepEqual(await ownIds('small'), ['big'], 'the combo')
  const message = /Use one of these ids: lab\/big, open\/big\./
  await assert.rejects(ownIds('big'), { status: 404, code: 'model_not_found', message })
})

test('Only models that a key allows count, and nothing is said about others', async () => {
  const { ownIds } = open({ connections: [lab, other] }, ['tiny', 'big'])
  assert.deepEqual(await ownIds('big', 'open/'), ['big'])
  await assert.rejects(ownIds('big', 'lab/', 'open/'), { status: 404, message: /lab\/big/ })
  for (const id of ['tiny', 'none', 'lab/tiny', 'lab/none', 'other/none'])
    await assert.rejects(ownIds(id, 'open/'), { status: 403, message: `not allowed: ${id}` })
  // The pattern is for the id with its prefix.
  await assert.rejects(ownIds('tiny', 'tiny'), { status: 404, message: /does not exist/ })
  assert.deepEqual(await ownIds('tiny', 'tiny', 'lab/tiny'), ['tiny'])
})

test('Pages that could not be read leave the models of the list before', async () => {
  const { world, ownIds } = open({ connections: [lab] }, ['big', 'small'])
  await ownIds('lab/small')
  world.ids = ['new']
  world.isWhole = false
  world.nowMs += 301_000
  await ownIds('lab/small')
  assert.deepEqual(await ownIds('lab/new'), ['new'])
  assert.deepEqual(await ownIds('lab/small'), ['small'])
})

test('The models of the list have the facts of their upstream, else of the catalogue', async () => {
  const combos = [
    { name: 'both', models: ['lab/big', 'lab/small', 'far/none'] },
    { name: 'empty', models: ['far/none'] },
  ]
  const modelAliases = { mine: 'lab/big', both: 'lab/small', gone: 'far/none' }
  const { world, index } = open(
    { connections: [lab, { ...other, apiKey: 'k' }], combos, modelAliases, customModels: [] },
    ['big', 'small', 'embed'],
  )
  const architecture = { input_modalities: ['text', 'image'], output_modalities: ['text'] }
  world.facts.set('big', { name: 'Big', context_length: 100, max_output_tokens: 10, architecture })
  const text = { input_modalities: ['text'], output_modalities: ['text'] }
  world.facts.set('small', { context_length: 90, architecture: text })
  const models = await index.models()
  assert.deepEqual(
    models.map(({ id, kind, owned_by }) => `${id} ${kind} ${owned_by}`),
    [
      'both llm combo',
      'lab/big llm lab',
      'lab/small llm lab',
      'lab/embed embedding lab',
      'open/big llm open',
      'open/a/b llm open',
      'mine llm alias',
    ],
  )
  const factsOf = (wanted: string) => models.find(({ id }) => id === wanted)?.facts
  assert.deepEqual(factsOf('both'), { context_length: 90, architecture: text })
  assert.deepEqual(factsOf('mine'), factsOf('lab/big'))
  assert.deepEqual(factsOf('open/big'), factsOf('lab/big'), 'its upstream is asked for facts')
  assert.deepEqual(factsOf('lab/embed'), {})
  assert.equal(await index.models(), models, 'the same while nothing changes')
})

test('A list is there at once, and asks the upstreams behind it', async () => {
  const { world, index } = open({ connections: [lab] }, ['big'])
  const ids = async () => (await index.models()).map(({ id }) => id)
  assert.deepEqual(await ids(), ['lab/big'])
  world.ids = ['new']
  assert.deepEqual([await ids(), world.asked], [['lab/big'], 1])
  world.nowMs += 5_001
  assert.deepEqual([await ids(), world.asked], [['lab/big'], 2])
  assert.deepEqual(await ids(), ['lab/new'])
  world.isFailing = true
  world.nowMs += 5_001
  await ids()
  assert.deepEqual(await ids(), ['lab/new'])
})
