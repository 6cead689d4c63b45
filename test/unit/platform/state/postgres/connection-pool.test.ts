import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  ConnectionPool,
  NoConnection,
  type PooledConnection,
} from '../../../../../src/platform/state/postgres/connection-pool.ts'

class FakeConnection implements PooledConnection {
  readonly room: number | undefined
  isBroken = false
  isIdle = true
  isClosed = false

  constructor(room: number | undefined) {
    this.room = room
  }

  setIdle(isIdle: boolean): void {
    this.isIdle = isIdle
  }

  async close(): Promise<void> {
    this.isClosed = true
  }
}

const refused = new Error('sorry, too many clients already')
const away = new Error('connect ECONNREFUSED')

/** A server that answers at once, and a clock that the test moves. */
class FakeServer {
  readonly opened: FakeConnection[] = []
  readonly refusals: unknown[] = []
  readonly pool: ConnectionPool<FakeConnection>
  readonly #test: TestContext
  attempts = 0
  error: Error | undefined
  room: number | undefined
  #nowMs = 1_000

  constructor(t: TestContext, most: number) {
    this.#test = t
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    this.pool = new ConnectionPool({
      most,
      waitMs: 20_000,
      now: () => this.#nowMs,
      isRefusal: (error) => error === refused,
      onRefusal: (error) => this.refusals.push(error),
      open: async () => {
        this.attempts += 1
        if (this.error !== undefined) throw this.error
        const connection = new FakeConnection(this.room)
        this.opened.push(connection)
        return connection
      },
    })
  }

  /** Takes connections at once. */
  takeAll(many: number, group = 'files'): Promise<FakeConnection[]> {
    return Promise.all(Array.from({ length: many }, () => this.pool.take(group)))
  }

  /** Takes both connections of a pool of two, for different tables. */
  takeTwo(): Promise<[FakeConnection, FakeConnection]> {
    return Promise.all([this.pool.take('files'), this.pool.take('uploads')])
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 10) {
      this.#nowMs += 10
      this.#test.mock.timers.tick(10)
      await settled()
    }
  }
}

/** Lets everything that is already resolved run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

async function isWaiting(taking: Promise<unknown>): Promise<boolean> {
  let isSettled = false
  const settle = () => {
    isSettled = true
  }
  taking.then(settle, settle)
  await settled()
  return !isSettled
}

test('ConnectionPool opens at most its number, and gives a released one to the first that waits', async (t) => {
  const server = new FakeServer(t, 2)
  const [one, other] = await server.takeTwo()
  const order: string[] = []
  const first = server.pool.take('files').then(() => order.push('first'))
  const second = server.pool.take('uploads').then(() => order.push('second'))
  assert.equal(server.pool.waiting, 2)
  server.pool.release(one, true)
  server.pool.release(other, true)
  await Promise.all([first, second])
  assert.deepEqual(order, ['first', 'second'])
  assert.equal(server.opened.length, 2)
})

test('ConnectionPool goes on with fewer connections when the server refuses more', async (t) => {
  const server = new FakeServer(t, 5)
  const [only] = await server.takeAll(1)
  assert.ok(only)
  server.error = refused
  const waiting = server.pool.take('files')
  assert.ok(await isWaiting(waiting))
  assert.deepEqual(server.refusals, [refused])
  server.pool.release(only, true)
  assert.equal(await waiting, only)
})

test('ConnectionPool waits for a server that refuses all, and asks it ever less often', async (t) => {
  const server = new FakeServer(t, 5)
  server.error = refused
  const waiting = server.pool.take('files')
  await server.pass(10_000)
  assert.ok(await isWaiting(waiting))
  assert.ok(server.attempts < 40, `${server.attempts} attempts`)
  server.error = undefined
  await server.pass(2_000)
  assert.equal(await waiting, server.opened[0])
})

test('ConnectionPool fails a call that has waited for 20 s, and names the setting', async (t) => {
  const server = new FakeServer(t, 1)
  server.error = refused
  const waiting = server.pool.take('files')
  const failed = assert.rejects(waiting, (error) => {
    assert.ok(error instanceof NoConnection)
    assert.equal(error.cause, refused)
    assert.match(error.message, /20 s.*DATABASE_POOL/)
    return true
  })
  await server.pass(19_900)
  assert.equal(server.pool.waiting, 1)
  await server.pass(200)
  await failed
  assert.equal(server.pool.waiting, 0)
})

test('ConnectionPool fails all calls at once when the server is away', async (t) => {
  const server = new FakeServer(t, 2)
  server.error = away
  const calls = await Promise.allSettled(Array.from({ length: 8 }, () => server.pool.take('files')))
  for (const call of calls) assert.equal(call.status === 'rejected' && call.reason, away)
})

test('ConnectionPool replaces connections that were lost, in use or idle', async (t) => {
  const server = new FakeServer(t, 2)
  const [one, other] = await server.takeTwo()
  server.pool.release(one, false)
  server.pool.release(other, true)
  other.isBroken = true
  const [next] = await server.takeAll(1)
  assert.deepEqual([one.isClosed, other.isClosed, next === server.opened[2]], [true, true, true])
})

test('ConnectionPool never gives its last connection to the table that has all others', async (t) => {
  const server = new FakeServer(t, 4)
  const [one] = await server.takeAll(3, 'uploads')
  assert.ok(one)
  const stuck = server.pool.take('uploads')
  assert.ok(await isWaiting(stuck))
  const free = await server.pool.take('files')
  server.pool.release(free, true)
  assert.ok(await isWaiting(stuck))
  assert.equal(await server.pool.take('files'), free)
  server.pool.release(one, true)
  assert.equal(await stuck, one)
})

test('ConnectionPool gives its only connection to any table', async (t) => {
  const server = new FakeServer(t, 1)
  const [only] = await server.takeAll(1, 'uploads')
  assert.ok(only)
  const waiting = server.pool.take('uploads')
  server.pool.release(only, true)
  assert.equal(await waiting, only)
})

test('ConnectionPool serves an urgent call first, also with the connection that is left for other tables', async (t) => {
  const server = new FakeServer(t, 2)
  const [one] = await server.takeAll(1, 'gateways')
  assert.ok(one)
  const stuck = server.pool.take('gateways')
  assert.ok(await isWaiting(stuck))
  const urgent = await server.pool.take('gateways', 3_000)
  const next = server.pool.take('gateways', 3_000)
  server.pool.release(urgent, true)
  server.pool.release(await next, true)
  server.pool.release(one, true)
  await stuck
  assert.equal(server.opened.length, 2)
})

test('ConnectionPool opens one more for an urgent call that waits, and closes one of them later', async (t) => {
  const server = new FakeServer(t, 2)
  const taken = await server.takeTwo()
  const urgent = server.pool.take('gateways', 3_000)
  const other = server.pool.take('files')
  await server.pass(400)
  assert.equal(server.attempts, 2)
  await server.pass(200)
  assert.equal(await urgent, server.opened[2])
  assert.ok(await isWaiting(other))
  server.pool.release(taken[0], true)
  assert.ok(taken[0].isClosed)
  assert.ok(await isWaiting(other))
  server.pool.release(taken[1], true)
  assert.equal(await other, taken[1])
})

test('ConnectionPool fails an urgent call after its own time limit', async (t) => {
  const server = new FakeServer(t, 1)
  server.error = refused
  const failed = assert.rejects(server.pool.take('gateways', 3_000), /within 3 s/)
  await server.pass(3_000)
  await failed
})

test('ConnectionPool closes idle connections when another one did not respond for long', async (t) => {
  const server = new FakeServer(t, 4)
  const [idle, silent, busy] = await server.takeAll(3)
  assert.ok(idle && silent && busy)
  server.pool.release(idle, true)
  server.pool.release(silent, true)
  await server.pass(100)
  assert.equal(await server.pool.take('files'), silent)
  await server.pass(3_000)
  // It answered meanwhile.
  server.pool.release(busy, true)
  server.pool.release(silent, false)
  assert.deepEqual([silent.isClosed, idle.isClosed, busy.isClosed], [true, true, false])
})

test('ConnectionPool keeps one connection where the server has little room, and no more', async (t) => {
  const server = new FakeServer(t, 4)
  server.room = 2
  const [only] = await server.takeAll(1)
  assert.ok(only)
  const waiting = server.pool.take('files')
  assert.ok(await isWaiting(waiting))
  assert.deepEqual(
    server.opened.map(({ isClosed }) => isClosed),
    [false, true],
  )
  server.room = 10
  await server.pass(6_000)
  assert.equal(await waiting, server.opened[2])
})

test('ConnectionPool closes idle connections after 10 s, and a used one after its life', async (t) => {
  const server = new FakeServer(t, 2)
  const [one, other] = await server.takeTwo()
  server.pool.release(other, true)
  assert.ok(other.isIdle)
  await server.pass(16_000)
  assert.ok(other.isClosed)
  await server.pass(90_000)
  assert.ok(!one.isClosed)
  server.pool.release(one, true)
  assert.ok(one.isClosed)
})

test('ConnectionPool.end closes idle connections, and those in use when they are released', async (t) => {
  const server = new FakeServer(t, 2)
  const [one, other] = await server.takeTwo()
  server.pool.release(other, true)
  await server.pool.end()
  assert.deepEqual([one.isClosed, other.isClosed], [false, true])
  server.pool.release(one, true)
  assert.ok(one.isClosed)
})
