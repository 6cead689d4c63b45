import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { AttemptLimiter } from '../../../../../src/platform/state/key-value/attempt-limiter.ts'
import { DatabaseKeyValueStore } from '../../../../../src/platform/state/key-value/database-key-value.ts'
import { KeyValueError } from '../../../../../src/platform/state/key-value/key-value.ts'
import { openDatabase } from '../../../../../src/platform/state/open-database.ts'
import { MemoryKeyValueStore } from '../../../../fakes/memory-key-value.ts'

const minuteMs = 60_000
const address = '192.0.2.1'

/** A store and two limiters on it, as two processes have them, with one clock for all. */
function open(t: { after(run: () => void): void }) {
  mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
  t.after(() => mock.timers.reset())
  const store = new MemoryKeyValueStore(Date.now)
  return {
    store,
    one: new AttemptLimiter(store, 'login-failures'),
    other: new AttemptLimiter(store, 'login-failures'),
  }
}

async function takeMany(limiter: AttemptLimiter, times: number, from = address): Promise<number[]> {
  const waits: number[] = []
  for (let count = 0; count < times; count++) waits.push(await limiter.take(from))
  return waits
}

test('five attempts are allowed; the sixth waits until 15 minutes after the fifth', async (t) => {
  const { one } = open(t)
  assert.deepEqual(await takeMany(one, 5), [0, 0, 0, 0, 0])
  mock.timers.tick(minuteMs)
  assert.equal(await one.take(address), 14 * 60)
})

test('tries of two processes count together', async (t) => {
  const { one, other } = open(t)
  assert.deepEqual(await takeMany(one, 3), [0, 0, 0])
  assert.deepEqual(await takeMany(other, 3), [0, 0, 900])
  assert.equal(await one.take(address), 900)
})

test('rejected tries do not extend the lockout', async (t) => {
  const { one, other } = open(t)
  await takeMany(one, 5)
  for (let minute = 1; minute < 15; minute++) {
    mock.timers.tick(minuteMs)
    const limiter = minute % 2 === 0 ? one : other
    assert.equal(await limiter.take(address), (15 - minute) * 60)
  }
  mock.timers.tick(minuteMs)
  assert.deepEqual(await takeMany(one, 6), [0, 0, 0, 0, 0, 900])
})

test('at most five tries are possible in any 15 minutes', async (t) => {
  const { one } = open(t)
  const madeAt: number[] = []
  for (let minute = 0; minute < 120; minute++) {
    // One at first, then as many as go through just before the first would be forgotten.
    const tries = minute === 0 ? 1 : minute % 14 === 0 ? 4 : 0
    for (let count = 0; count < tries + 1; count++) {
      if ((await one.take(address)) === 0) madeAt.push(Date.now())
    }
    mock.timers.tick(minuteMs)
  }
  assert.ok(madeAt.length > 5)
  for (const start of madeAt) {
    const within = madeAt.filter((at) => at >= start && at < start + 15 * minuteMs)
    assert.ok(within.length <= 5, String(within.length))
  }
})

test('logins of one client run one after the other, those of others beside them', async (t) => {
  const { one } = open(t)
  const running: string[] = []
  const most = new Map<string, number>()
  const login = (client: string, fails: boolean) =>
    one.inTurn(client, async () => {
      running.push(client)
      most.set(
        client,
        Math.max(most.get(client) ?? 0, running.filter((at) => at === client).length),
      )
      most.set('all', Math.max(most.get('all') ?? 0, running.length))
      await setImmediate()
      running.splice(running.indexOf(client), 1)
      if (fails) throw new Error('wrong')
      return client
    })
  const clients = Array.from({ length: 20 }, (_, number) =>
    number % 2 === 0 ? address : '192.0.2.2',
  )
  const logins = clients.map((client, number) => login(client, number % 3 === 0))
  const outcomes = await Promise.allSettled(logins)
  assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 7)
  assert.deepEqual(Object.fromEntries(most), { [address]: 1, '192.0.2.2': 1, all: 2 })
})

test('clear forgets the failures of one client', async (t) => {
  const { one } = open(t)
  await takeMany(one, 4)
  await takeMany(one, 5, '192.0.2.2')
  await one.clear(address)
  assert.deepEqual(await takeMany(one, 5), [0, 0, 0, 0, 0])
  assert.equal(await one.take('192.0.2.2'), 900)
})

test('clients of one IPv6 network count together, others do not', async (t) => {
  const { one } = open(t)
  for (let host = 1; host <= 5; host++) assert.equal(await one.take(`2001:db8::${host}`), 0)
  assert.equal(await one.take('2001:db8::6'), 900)
  assert.equal(await one.take('2001:db8:0:1::6'), 0)
})

test('a count that one process clears is cleared in all of them at once', async (t) => {
  const { one, other } = open(t)
  assert.deepEqual(await takeMany(one, 6), [0, 0, 0, 0, 0, 900])
  await other.clear(address)
  assert.deepEqual(await takeMany(one, 6), [0, 0, 0, 0, 0, 900])
})

test('an unavailable store throws a KeyValueError', async (t) => {
  const { one, store } = open(t)
  store.problem = new KeyValueError('down')
  await assert.rejects(one.take(address), KeyValueError)
  await assert.rejects(one.clear(address), KeyValueError)
})

test('racing tries of two processes on one database are five and no more', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'bucketry-limiter-'))
  t.after(() => rm(folder, { recursive: true }))
  const location = { kind: 'sqlite', path: join(folder, 'bucketry.db') } as const
  const databases = [
    await openDatabase(location, { migrate: true }),
    await openDatabase(location, { migrate: false }),
  ]
  t.after(() => Promise.all(databases.map((database) => database.close())))
  const limiters = databases.map(
    (database) =>
      new AttemptLimiter(new DatabaseKeyValueStore(database, Date.now), 'login-failures'),
  )
  const waits = await Promise.all(
    Array.from({ length: 15 }).flatMap(() => limiters.map((limiter) => limiter.take(address))),
  )
  assert.equal(waits.filter((wait) => wait === 0).length, 5)
})
