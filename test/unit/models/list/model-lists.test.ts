import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Connection } from '../../../../src/models/list/routing-inputs.ts'
import { Upstreams } from '../../../../src/models/upstream/upstreams.ts'
import { answering, startStub } from '../../../fakes/stub-upstream.ts'
import { listening, listsOf, modelsApp, sourceOf } from '../../../support/models-app.ts'
import { silentLog } from '../../../support/silent-log.ts'

const chat = ['alpha/chat-1', 'alpha/voice-of-reason', 'dt/dt-chat', 'dt/dt-reason']
const idsOf = (body: string): string[] => {
  return JSON.parse(body).data.map(({ id }: { id: string }) => id)
}

// docs/contract/model-list.md, "Loading the inputs".
describe('an input that cannot be loaded counts as empty', () => {
  const state = {
    connections: [{ id: 'c', provider: 'deepthink', createdAtMs: 0 }],
    combos: [{ name: 'combo' }],
    customModels: [{ id: 'custom', providerAlias: 'dt' }],
    modelAliases: { fast: 'dt/aliased' },
  }
  const lists = {
    connections: ['combo', ...chat, 'dt/custom'],
    combos: ['dt/dt-chat', 'dt/dt-reason', 'dt/custom', 'dt/aliased'],
    customModels: ['combo', 'dt/dt-chat', 'dt/dt-reason', 'dt/aliased'],
    modelAliases: ['combo', 'dt/dt-chat', 'dt/dt-reason', 'dt/custom'],
  }
  const failures = {
    rejects: async () => {
      throw new Error('database is gone')
    },
    throws: () => {
      throw new Error('database is gone')
    },
    'gives null': async () => null,
    'gives a number': async () => 5,
  }
  for (const [input, expected] of Object.entries(lists)) {
    for (const [how, load] of Object.entries(failures)) {
      test(`${input} ${how}`, async () => {
        const warnings: unknown[] = []
        const log = { ...silentLog, warn: (...told: unknown[]) => warnings.push(told) }
        const source = { ...sourceOf(state), [input]: load }
        const app = modelsApp({ source, log })
        assert.deepEqual(idsOf((await app.send({ url: '/v1/models' })).text), expected)
        assert.equal(warnings.length, 1)
      })
    }
  }

  test('the log reports once that an input fails, and once that it works again', async () => {
    const told: string[] = []
    let isBroken = true
    const source = {
      ...sourceOf(state),
      combos: async () => {
        if (isBroken) throw new Error('database is gone')
        return state.combos
      },
    }
    const log = {
      ...silentLog,
      warn: (fields: object) => told.push(`fails: ${Object.values(fields)[0]}`),
      info: (fields: object) => told.push(`is back: ${Object.values(fields)[0]}`),
    }
    const app = modelsApp({ source, log })
    const lists = async () => {
      await Promise.all([1, 2, 3].map(() => app.send({ url: '/v1/models' })))
      await app.send({ url: '/v1/models/combo' })
    }
    await lists()
    isBroken = false
    await lists()
    assert.deepEqual(told, ['fails: combos', 'is back: combos'])
    isBroken = true
    await lists()
    assert.deepEqual(told, ['fails: combos', 'is back: combos', 'fails: combos'])
  })
})

function labs(...origins: readonly string[]): readonly Connection[] {
  return origins.map((baseUrl, index) => ({
    id: `lab-${index}`,
    provider: `openai-compatible-lab-${'xyz'[index]}`,
    apiKey: 'sk-very-secret',
    createdAtMs: index,
    providerSpecificData: { baseUrl, prefix: `lab${index}` },
  }))
}

describe('upstreams', () => {
  test('get requests concurrently; an unreachable one costs its timeout once and is logged', async (context) => {
    const good = await startStub(answering([{ id: 'm' }, { id: 'text-embedding-m' }]))
    let open = 0
    let mostOpen = 0
    const dead = await startStub((_request, response) => {
      mostOpen = Math.max(mostOpen, ++open)
      response.once('close', () => open--)
    })
    context.after(() => Promise.all([good.close(), dead.close()]))
    const told: unknown[] = []
    const app = modelsApp({
      state: { connections: labs(dead.origin, good.origin, `${dead.origin}/other`) },
      // Time enough for the one that answers, on a busy machine too.
      upstreams: new Upstreams({ timeoutMs: 5_000 }),
      log: { ...silentLog, debug: (fields) => told.push(fields) },
    })
    const reply = await app.send({ url: '/v1/models' })
    assert.deepEqual(idsOf(reply.text), ['lab1/m'])
    assert.equal(mostOpen, 2)
    assert.deepEqual(
      told.map((fields) => JSON.stringify(fields)),
      ['{"connectionId":"lab-0","code":"timeout"}', '{"connectionId":"lab-2","code":"timeout"}'],
    )
  })

  test('get no requests for kinds that they do not serve', async (context) => {
    const stub = await startStub(answering([{ id: 'm' }]))
    context.after(() => stub.close())
    const app = modelsApp({ state: { connections: labs(stub.origin) } })
    assert.deepEqual(idsOf((await app.send({ url: '/v1/models/image' })).text), [])
    assert.equal(stub.requests.length, 0)
    await app.send({ url: '/v1/models/lab0/m' })
    assert.equal(stub.requests.length, 1)
  })

  test('get requests for one model only if they may have it', async (context) => {
    const stubs = await Promise.all([
      startStub(answering([{ id: 'm' }])),
      startStub(() => undefined),
    ])
    context.after(() => Promise.all(stubs.map((stub) => stub.close())))
    const asked = () => stubs.map(({ requests }) => requests.length)
    const app = modelsApp({
      state: {
        connections: [
          ...labs(...stubs.map(({ origin }) => origin)),
          { id: 'known', provider: 'deepthink', createdAtMs: 9 },
        ],
        combos: [{ name: 'combo' }],
        customModels: [{ id: 'mine', providerAlias: 'lab1' }],
      },
      upstreams: new Upstreams({ timeoutMs: 60_000 }),
    })
    const status = async (id: string) => {
      return (await app.send({ url: `/v1/models/${id}` })).status
    }
    for (const id of ['combo', 'dt/dt-chat', 'lab1/mine']) assert.equal(await status(id), 200)
    for (const id of ['nothing', 'lab', 'lab0', 'elsewhere/m']) assert.equal(await status(id), 404)
    assert.deepEqual(asked(), [0, 0])
    assert.equal(await status('lab0/m'), 200)
    assert.equal(await status('lab0/other'), 404)
    assert.deepEqual(asked(), [2, 0])
  })

  test('that fail for a reason of ours are a failure of ours', async () => {
    const broken = {
      modelIds: async () => {
        throw new TypeError('a bug')
      },
    }
    const app = modelsApp({
      state: { connections: labs('http://127.0.0.1:1') },
      upstreams: broken,
    })
    assert.equal((await app.send({ url: '/v1/models' })).status, 500)
  })
})

test('two gateways that are each other’s upstream both answer at the timeout', async (context) => {
  const origins: string[] = []
  const pair = [1, 0].map((other) => {
    return listening(context, () => {
      const [connection] = labs(`${origins[other]}/v1`)
      const own = { id: 'own', provider: 'deepthink', createdAtMs: 9 }
      return {
        state: { connections: connection === undefined ? [own] : [connection, own] },
        upstreams: new Upstreams({ timeoutMs: 1_000 }),
      }
    })
  })
  origins.push(...(await Promise.all(pair)))
  await Promise.all(
    origins.map(async (origin) => {
      const listed = idsOf(await (await fetch(`${origin}/v1/models`)).text())
      assert.ok(listed.includes('dt/dt-chat'), listed.join())
    }),
  )
})

test('Calls read what is stored once in a quarter of a second, and at once after a change', async () => {
  const source = { ...sourceOf({}), changes: 0 }
  let reads = 0
  source.combos = async () => {
    reads += 1
    return []
  }
  let nowMs = 0
  const lists = listsOf({}, { source, elapsed: () => nowMs })
  const first = await lists.recentInputs()
  nowMs += 249
  assert.equal(await lists.recentInputs(), first)
  assert.equal(reads, 1)
  source.changes += 1
  assert.notEqual(await lists.recentInputs(), first)
  assert.equal(reads, 2)
  nowMs += 250
  await lists.recentInputs()
  assert.equal(reads, 3)
})
