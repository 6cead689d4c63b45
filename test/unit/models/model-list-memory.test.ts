import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { maxListBytes } from '../../../src/models/list/list-cache.ts'
import { modelListApi } from '../../../src/models/list/model-list-api.ts'
import { modelsErrorFormats } from '../../../src/models/list/models-error-format.ts'
import type { Connection } from '../../../src/models/list/routing-inputs.ts'
import { jsonHandler } from '../../../src/platform/json-api/json-handler.ts'
import { collectGarbage } from '../../support/collect-garbage.ts'
import { listsOf } from '../../support/models-app.ts'
import { silentLog } from '../../support/silent-log.ts'
import { startServer } from '../platform/http/http-server-fixture.ts'

const clients = 30

function longIds(count: number, mark = ''): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${mark}${index}-${'x'.repeat(390)}`)
}

const lab: Connection = { id: 'lab', provider: 'openai-compatible-lab', createdAtMs: 0 }
const enabled = (count: number): Connection => {
  return { ...lab, providerSpecificData: { prefix: 'lab', enabledModels: longIds(count) } }
}
const asked: Connection = {
  ...{ ...lab, apiKey: 'key' },
  providerSpecificData: { prefix: 'lab', baseUrl: 'http://127.0.0.1:1' },
}

interface Given {
  readonly connections: readonly Connection[]
  readonly modelIds?: () => Promise<readonly string[]>
}

/** The list behind a port. Its clock goes on by a second each time. */
async function listed(t: TestContext, { connections, modelIds }: Given) {
  let nowMs = 1_779_000_000_000
  const warnings: object[] = []
  const lists = listsOf(
    { connections, combos: [], customModels: [], modelAliases: {} },
    {
      now: () => {
        nowMs += 1_000
        return nowMs
      },
      upstreams: { modelIds: modelIds ?? (() => Promise.reject(new Error('nothing to ask'))) },
      log: { ...silentLog, warn: (fields) => warnings.push(fields) },
    },
  )
  const routes = modelListApi({ lists, admit: () => undefined })
  const handler = jsonHandler(routes, { errorFormats: modelsErrorFormats })
  const { port, finished } = await startServer(t, handler)
  return { port, finished, warnings }
}

/** Asks, and reads nothing after the head. */
async function deaf(t: TestContext, port: number, path: string): Promise<string> {
  const socket: Socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => undefined)
  t.after(() => socket.destroy())
  socket.write(`GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`)
  const [bytes] = await once(socket, 'data')
  socket.pause()
  return String(bytes).slice(9, 12)
}

function buffersNow(): number {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

let sameIds = 0
const givens: Readonly<Record<string, Given>> = {
  'of stored models': { connections: [enabled(30_000)] },
  'of an upstream': {
    connections: [asked],
    modelIds: async () => {
      sameIds++
      return longIds(30_000)
    },
  },
}

for (const [what, given] of Object.entries(givens)) {
  for (const path of ['/v1/models', '/v1/models/']) {
    test(`${clients} clients that do not read ${path} ${what} share its bytes`, async (t) => {
      const { port } = await listed(t, given)
      const before = buffersNow()
      for (let client = 0; client < clients; client++) {
        assert.equal(await deaf(t, port, path), '200')
      }
      const grown = buffersNow() - before
      assert.ok(grown < 4 * maxListBytes, `${Math.round(grown / 2 ** 20)} MiB`)
    })
  }
}

test('an upstream is asked for each list, also for an equal one', () => {
  assert.equal(sameIds, 2 * clients)
})

test('lists that all differ are refused while clients hold too many of them', async (t) => {
  let round = 0
  const modelIds = async () => {
    round++
    return longIds(30_000, `${round}-`)
  }
  const { port } = await listed(t, { connections: [asked], modelIds })
  const statuses: string[] = []
  for (let client = 0; client < 16; client++) statuses.push(await deaf(t, port, '/v1/models'))
  assert.equal(statuses[0], '200')
  assert.equal(statuses.at(-1), '503')
  assert.ok(statuses.indexOf('503') >= 7, statuses.join())
})

test('the time of a list goes on once no client receives it, also after one that left', async (t) => {
  for (const path of ['/v1/models', '/v1/models/']) {
    const { port, finished } = await listed(t, { connections: [enabled(30_000)] })
    const created = async () => {
      const reply = await fetch(`http://127.0.0.1:${port}/v1/models`)
      return ((await reply.json()) as { data: [{ created: number }] }).data[0].created
    }
    const socket = connect({ port, host: '127.0.0.1' })
    socket.write(`GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`)
    await once(socket, 'data')
    socket.pause()
    const held = await created()
    assert.equal(await created(), held)
    socket.destroy()
    await finished(3)
    assert.ok((await created()) > held)
  }
})

test('a list ends at its maximum size, and the log says so once', async (t) => {
  const { port, warnings } = await listed(t, { connections: [enabled(60_000)] })
  for (let round = 0; round < 2; round++) {
    const reply = await fetch(`http://127.0.0.1:${port}/v1/models`)
    const text = await reply.text()
    assert.ok(text.length <= maxListBytes && text.length > maxListBytes - 1_000)
    assert.ok(JSON.parse(text).data.length > 30_000)
  }
  assert.deepEqual(warnings, [{ kinds: 'llm', maxListBytes }])
  const last = longIds(60_000).at(-1)
  const one = await fetch(`http://127.0.0.1:${port}/v1/models/lab/${last}`)
  assert.equal(one.status, 200)
})
