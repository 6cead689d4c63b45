import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallIndex } from '../../../../src/models/calls/call-index.ts'
import { UpstreamError } from '../../../../src/models/upstream/upstream.ts'
import { listsOf, type SourceRows } from '../../../support/models-app.ts'
import { smallCatalogue } from '../../../support/small-catalogue.ts'

const chat = new Set(['llm'] as const)
const lab = {
  ...{ id: 'c1', provider: 'openai-compatible-lab', apiKey: 'k', createdAtMs: 1 },
  providerSpecificData: { baseUrl: 'http://h/v1', prefix: 'lab' },
}

/** An index whose upstream lists `ids`, or fails. */
function open(state: SourceRows, ids: string[]) {
  const world = { nowMs: 0, asked: 0, isFailing: false, status: 0, ids }
  const index = new CallIndex({
    lists: listsOf(state),
    catalogue: smallCatalogue,
    upstreams: {
      modelIds: async () => {
        world.asked += 1
        if (world.isFailing) throw new UpstreamError('unreachable')
        if (world.status > 0) throw new UpstreamError('status', { status: world.status })
        return world.ids
      },
    },
    now: () => world.nowMs,
  })
  const ownIds = async (id: string) =>
    (await index.resolve(id, chat)).targets.map(({ ownId }) => ownId)
  return { world, ownIds }
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
  for (const status of [200, 401, 403, 404, 405]) {
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
