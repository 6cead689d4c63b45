import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { describe, type TestContext, test } from 'node:test'
import { Upstreams } from '../../../../src/models/upstream/upstreams.ts'
import { answering, type StubUpstream, startStub } from '../../../fakes/stub-upstream.ts'

const apiKey = 'sk-very-secret'
/** Long enough for a stub that answers at once, on a busy machine too. */
const patient = { timeoutMs: 60_000 }
/** For stubs that never answer. */
const hasty = { timeoutMs: 200 }

async function stubOf(t: TestContext, answer: RequestListener): Promise<StubUpstream> {
  const stub = await startStub(answer)
  t.after(() => stub.close())
  return stub
}

describe('modelIds of many lists', () => {
  test('shares a request in progress, and caches nothing after it', async (t) => {
    const open: (() => void)[] = []
    const stub = await stubOf(t, (request, response) => {
      open.push(() => answering([{ id: `m${open.length}` }])(request, response))
    })
    const upstreams = new Upstreams(patient)
    const upstream = { flavour: 'openai', baseUrl: stub.origin, apiKey } as const
    const lists = Array.from({ length: 500 }, () => upstreams.modelIds(upstream))
    while (open.length === 0) await new Promise(setImmediate)
    open[0]?.()
    for (const list of lists) assert.deepEqual(await list, ['m1'])
    assert.equal(stub.connections(), 1)
    const again = upstreams.modelIds(upstream)
    while (open.length === 1) await new Promise(setImmediate)
    open[1]?.()
    assert.deepEqual(await again, ['m2'])
  })

  test('asks an upstream twice a second at most, and shares what waits', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const stub = await stubOf(t, (request, response) => {
      answering([{ id: `m${stub.requests.length}` }])(request, response)
    })
    const upstreams = new Upstreams(patient)
    const upstream = { flavour: 'openai', baseUrl: stub.origin, apiKey } as const
    assert.deepEqual(await upstreams.modelIds(upstream), ['m1'])
    const waiting = Array.from({ length: 50 }, () => upstreams.modelIds(upstream))
    // Another upstream, or another key, does not wait.
    assert.deepEqual(await upstreams.modelIds({ ...upstream, apiKey: 'other' }), ['m2'])
    t.mock.timers.tick(499)
    await new Promise(setImmediate)
    assert.equal(stub.requests.length, 2)
    t.mock.timers.tick(1)
    // It is asked after they came.
    for (const list of waiting) assert.deepEqual(await list, ['m3'])
    assert.equal(stub.requests.length, 3)
  })

  test('does not share between keys', async (t) => {
    const stub = await stubOf(t, (request, response) => {
      answering([{ id: request.headers.authorization }])(request, response)
    })
    const upstreams = new Upstreams(patient)
    const lists = ['one', 'two'].map((key) => {
      return upstreams.modelIds({ flavour: 'openai', baseUrl: stub.origin, apiKey: key })
    })
    assert.deepEqual(await Promise.all(lists), [['Bearer one'], ['Bearer two']])
  })

  test('fails all that share a question when it fails', async (t) => {
    const stub = await stubOf(t, (_request, response) => response.writeHead(500).end())
    const upstreams = new Upstreams(patient)
    const upstream = { flavour: 'openai', baseUrl: stub.origin, apiKey } as const
    const lists = await Promise.allSettled([1, 2, 3].map(() => upstreams.modelIds(upstream)))
    assert.deepEqual(
      lists.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    )
    assert.equal(stub.requests.length, 1)
  })

  test('waits for its turn within the timeout, not beyond it', async (t) => {
    const stub = await stubOf(t, () => undefined)
    const upstreams = new Upstreams({ ...hasty, askedAtOnce: 1 })
    const lists = ['a', 'b', 'c', 'd', 'e'].map((path) => {
      const baseUrl = `${stub.origin}/${path}`
      return upstreams.modelIds({ flavour: 'openai', baseUrl, apiKey })
    })
    for (const list of await Promise.allSettled(lists)) assert.equal(list.status, 'rejected')
    // One after the other, each with a separate timeout, all five would be sent.
    assert.ok(stub.requests.length < 5)
  })
})
