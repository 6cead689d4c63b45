import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Redis } from 'ioredis'
import { redisTarget } from '../../../../src/storage/events/event-targets.ts'
import { freePort } from '../../../support/free-port.ts'
import { until } from '../../../support/management-client.ts'
import { type RedisOptions, startRedis, type TestRedis } from '../../../support/start-redis.ts'

const stream = 'a stream'
const never = new AbortController().signal

async function start(t: TestContext, options: RedisOptions = {}): Promise<TestRedis | undefined> {
  const server = await startRedis(options)
  if (server === undefined) t.skip('Redis is not installed (.ci/run installs it)')
  else t.after(() => server.stop())
  return server
}

function open(t: TestContext, url: string) {
  const target = redisTarget(url, stream)
  t.after(() => target.close())
  /** 'ok', or why it was not accepted. */
  return async (message: string) => {
    const sent = target.send(message, never).then(() => 'ok')
    return await sent.catch(({ message: reason }: Error) => reason)
  }
}

function admin(t: TestContext, url: string): Redis {
  const client = new Redis(url)
  // It is stopped in tests.
  client.on('error', () => undefined)
  t.after(() => client.disconnect())
  return client
}

test('messages are entries of the stream, also after a restart of the server', async (t) => {
  const port = await freePort()
  const password = 'other'
  const first = await startRedis({ port, password: 'secret' })
  if (first === undefined) return t.skip('Redis is not installed (.ci/run installs it)')
  const send = open(t, first.url)
  assert.equal(await send('{"ä":1}'), 'ok')
  const entries = await admin(t, first.url).xrange(stream, '-', '+')
  assert.deepEqual(
    entries.map(([, fields]) => fields),
    [['event', '{"ä":1}']],
  )
  await first.stop()
  assert.match(await send('lost'), /^it could not be reached/)
  // It comes back with another password, which the target does not know.
  const second = await start(t, { port, password })
  await until(async () => (await send('refused')) === 'it answered WRONGPASS')
  await second?.stop()
  const third = await start(t, { port, password: 'secret' })
  await until(async () => (await send('again')) === 'ok')
  assert.equal(await admin(t, third?.url ?? '').xlen(stream), 1)
})

test('a server that refuses writes gets them again, and messages show no address', async (t) => {
  const server = await start(t)
  if (server === undefined) return
  const { url } = server
  const send = open(t, url)
  const client = admin(t, url)
  assert.equal(await send('1'), 'ok')
  await client.call('REPLICAOF', '127.0.0.1', '1')
  assert.equal(await send('2'), 'it answered READONLY')
  await client.call('REPLICAOF', 'NO', 'ONE')
  await until(async () => (await send('2')) === 'ok')
  await client.config('SET', 'maxmemory', '1')
  assert.equal(await send('3'), 'it answered OOM')
  await client.config('SET', 'maxmemory', '0')
  assert.equal(await send('3'), 'ok')
  await client.set(stream, 'text')
  assert.equal(await send('4'), 'it answered WRONGTYPE')
})
