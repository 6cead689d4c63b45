import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { Redis } from 'ioredis'
import { KeyValueError } from '../../src/platform/state/key-value/key-value.ts'
import { RedisKeyValueStore } from '../../src/platform/state/key-value/redis-key-value.ts'
import { assertWithin } from '../support/assert-within.ts'
import { makeCertificate } from '../support/certificates.ts'
import { freePort } from '../support/free-port.ts'
import { isDone, until } from '../support/management-client.ts'
import { startRedis } from '../support/start-redis.ts'
import { describeKeyValueStore } from './key-value-contract.ts'

const options = { ttlMs: 60_000, maxFamily: 10 }
const server = await startRedis()

if (server === undefined) {
  describe('Redis key-value store', { skip: 'needs redis-server or valkey-server on PATH' })
} else {
  after(() => server.stop())
  const { url } = server

  describeKeyValueStore('Redis', async () => {
    await withClient(url, (client) => client.flushall())
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

  test('every key in Redis has the prefix bucketry: and a time to live', async () => {
    const store = new RedisKeyValueStore({ url })
    await withClient(url, (client) => client.flushall())
    await store.set('session:a', 'x', options)
    await store.increment('login-failures:b', { ttlMs: 1_000, renewUpTo: 1 })
    await withClient(url, async (client) => {
      const keys = await client.keys('*')
      assert.equal(keys.length, 3)
      for (const key of keys) {
        assert.match(key, /^bucketry:/)
        assert.ok((await client.pttl(key)) > 0, key)
      }
    })
    await store.close()
  })

  test('trimming a family in Redis deletes no foreign keys', async () => {
    await withClient(url, async (client) => {
      await client.flushall()
      const store = new RedisKeyValueStore({ url })
      await store.set('f:1', 'x', { ttlMs: 60_000, maxFamily: 1 })
      const [key = '', score = ''] = await client.zpopmin('bucketry:family:f')
      await client.zadd('bucketry:family:f', score, key)
      await client.set(score, 'of somebody else')
      await store.set('f:2', 'x', { ttlMs: 60_000, maxFamily: 1 })
      assert.equal(await store.get('f:1'), undefined)
      assert.equal(await client.get(score), 'of somebody else')
      await store.close()
    })
  })

  test('calls fail in time while Redis hangs, and succeed when it continues', async () => {
    const store = new RedisKeyValueStore({ url, commandMs: 200 })
    // To connect may take longer than a call may.
    await until(() => isDone(store.set('a:b', 'c', options)))
    server.freeze()
    await assert.rejects(store.get('a:b'), KeyValueError)
    server.thaw()
    await until(async () => (await stored(store, 'a:b')) === 'c')
    await store.close()
  })
}

test('Redis behind rediss:// is used only when its certificate is trusted', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'bucketry-redis-tls-'))
  t.after(() => rm(folder, { recursive: true }))
  const { caFile, certFile, keyFile } = makeCertificate(folder)
  const secure = await startRedis({ tls: { certFile, keyFile } })
  if (secure === undefined) return t.skip('needs redis-server or valkey-server on PATH')
  t.after(() => secure.stop())
  const untrusting = new RedisKeyValueStore({ url: secure.url })
  t.after(() => untrusting.close())
  await assert.rejects(untrusting.get('a:b'), KeyValueError)

  const authorities = getCACertificates()
  t.after(() => setDefaultCACertificates(authorities))
  setDefaultCACertificates([...authorities, await readFile(caFile, 'utf8')])
  const trusting = new RedisKeyValueStore({ url: secure.url })
  t.after(() => trusting.close())
  await trusting.set('a:b', 'c', options)
  assert.equal(await trusting.get('a:b'), 'c')
})

test('calls fail immediately without Redis, and the error does not show the password', async (t) => {
  const port = await freePort()
  const states: (KeyValueError | undefined)[] = []
  const store = new RedisKeyValueStore({
    url: `redis://user:hush@127.0.0.1:${port}/1`,
    onState: (problem) => states.push(problem),
  })
  t.after(() => store.close())
  await assertWithin(1_000, async () => {
    const startedAt = performance.now()
    for (const operation of [
      () => store.get('a:b'),
      () => store.set('a:b', 'c', options),
      () => store.delete('a:b'),
      () => store.increment('a:b', { ttlMs: 1_000, renewUpTo: 1 }),
    ]) {
      await assert.rejects(operation, (error) => {
        assert.ok(error instanceof KeyValueError)
        assert.doesNotMatch(error.message, /hush/)
        return true
      })
    }
    return performance.now() - startedAt
  })
  assert.equal(states.length, 1)
  assert.ok(states[0] instanceof KeyValueError)
})

test('a restarted Redis is used again, with its password and database number', async (t) => {
  const first = await startRedis({ password: 'hush' })
  if (first === undefined) return t.skip('needs redis-server or valkey-server on PATH')
  const states: boolean[] = []
  const store = new RedisKeyValueStore({
    url: `${first.url}/3`,
    onState: (problem) => states.push(problem === undefined),
  })
  t.after(() => store.close())
  await store.set('a:b', 'c', options)
  assert.equal(await store.get('a:b'), 'c')
  await first.stop()
  await assert.rejects(store.get('a:b'), KeyValueError)
  const port = Number(new URL(first.url).port)
  const second = await startRedis({ password: 'hush', port })
  t.after(() => second?.stop())
  await until(() => isDone(store.get('a:b')))
  await store.set('a:b', 'd', options)
  await withClient(`${first.url}/3`, async (client) => {
    assert.equal(await client.get('bucketry:a:b'), 'd')
  })
  assert.deepEqual(states, [false, true])
})

async function stored(store: RedisKeyValueStore, key: string): Promise<string | undefined> {
  try {
    return await store.get(key)
  } catch {
    // It does not answer yet.
    return undefined
  }
}

async function withClient(url: string, run: (client: Redis) => Promise<unknown>): Promise<void> {
  const client = new Redis(url)
  try {
    await run(client)
  } finally {
    client.disconnect()
  }
}
