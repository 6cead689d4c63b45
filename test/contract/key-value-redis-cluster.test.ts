import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Cluster, Redis } from 'ioredis'
import { KeyValueError } from '../../src/platform/state/key-value/key-value.ts'
import { RedisKeyValueStore } from '../../src/platform/state/key-value/redis-key-value.ts'
import { assertWithin } from '../support/assert-within.ts'
import { freePort } from '../support/free-port.ts'
import { isDone, until } from '../support/management-client.ts'
import { startRedis, startRedisCluster } from '../support/start-redis.ts'
import { describeKeyValueStore } from './key-value-contract.ts'

const server = await startRedisCluster()

if (server === undefined) {
  describe('Redis Cluster', { skip: 'needs redis-server or valkey-server on PATH' })
} else {
  after(() => server.stop())
  const { url } = server

  describeKeyValueStore('Redis Cluster', async () => {
    const one = new RedisKeyValueStore({ url })
    const other = new RedisKeyValueStore({ url })
    return {
      one,
      other,
      async close() {
        await one.close()
        await other.close()
      },
    }
  })

  test('families are spread over the nodes of a cluster, and each is on one of them', async (t) => {
    const store = new RedisKeyValueStore({ url })
    t.after(() => store.close())
    const families = Array.from({ length: 12 }, (_, index) => `family${index}`)
    for (const family of families) {
      for (const name of ['a', 'b', '{c}']) {
        await store.set(`${family}:${name}`, 'x', { ttlMs: 60_000, maxFamily: 2 })
      }
      assert.equal(await store.get(`${family}:a`), undefined)
      assert.equal(await store.get(`${family}:{c}`), 'x')
    }
    const { hostname, port } = new URL(url)
    const cluster = new Cluster([{ host: hostname, port: Number(port) }])
    t.after(() => cluster.disconnect())
    await cluster.ping()
    const counts = await Promise.all(cluster.nodes('master').map((node) => node.dbsize()))
    assert.equal(counts.length, 3)
    for (const count of counts) assert.ok(count > 0, String(counts))
  })

  test('calls fail in time while a cluster hangs, and succeed when it continues', async (t) => {
    const store = new RedisKeyValueStore({ url, commandMs: 200 })
    t.after(() => store.close())
    const options = { ttlMs: 60_000, maxFamily: 10 }
    // To connect may take longer than a call may.
    await until(() => isDone(store.set('a:b', 'c', options)))
    server.freeze()
    await assertWithin(2_000, () => refusedMs(store))
    server.thaw()
    await until(async () => (await store.get('a:b').catch(() => undefined)) === 'c')
  })

  test('a cluster that was not ready at the first call is used when it is ready', async (t) => {
    const node = await startRedis({ busPort: await freePort() })
    assert.ok(node)
    t.after(() => node.stop())
    const admin = new Redis(node.url)
    t.after(() => admin.disconnect())
    await admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16382')
    const store = new RedisKeyValueStore({ url: node.url, commandMs: 200 })
    t.after(() => store.close())
    await assertWithin(2_000, () => refusedMs(store))
    await admin.call('CLUSTER', 'ADDSLOTS', '16383')
    await until(async () => (await store.get('a:b').catch(() => 'refused')) === undefined)
  })
}

/** How long a call takes until it is refused, milliseconds. */
async function refusedMs(store: RedisKeyValueStore): Promise<number> {
  const startedAt = performance.now()
  await assert.rejects(store.get('a:b'), KeyValueError)
  return performance.now() - startedAt
}
