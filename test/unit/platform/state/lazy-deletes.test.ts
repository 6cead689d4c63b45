import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { LazyDeletes } from '../../../../src/platform/state/lazy-deletes.ts'

const delayMs = 60_000

test('LazyDeletes removes a key no sooner than its delay, and many in one call', async (context) => {
  const { clock, removed, deletes } = start(context)
  for (let index = 0; index < 600; index++) deletes.add(`key-${index}`)
  await clock.advance(delayMs - 1)
  assert.equal(removed.length, 0)
  await clock.advance(1)
  assert.deepEqual(
    removed.map((keys) => keys.length),
    [512, 88],
  )
})

test('LazyDeletes waits the whole delay for a key added after the timer was set', async (context) => {
  const { clock, removed, deletes } = start(context)
  deletes.add('early')
  await clock.advance(delayMs - 1)
  deletes.add('late')
  await clock.advance(1)
  assert.deepEqual(removed, [['early']])
  await clock.advance(delayMs)
  assert.deepEqual(removed, [['early'], ['late']])
})

test('LazyDeletes keeps a key that is in use again', async (context) => {
  const { clock, removed, deletes } = start(context)
  deletes.add('back')
  deletes.add('gone')
  deletes.cancel('back')
  await clock.advance(delayMs)
  assert.deepEqual(removed, [['gone']])
})

test('LazyDeletes holds no more keys than its limit', async (context) => {
  const { clock, removed, deletes } = start(context, { maxWaiting: 2 })
  for (const key of ['a', 'b', 'c']) deletes.add(key)
  await clock.advance(delayMs)
  assert.deepEqual(removed, [['a', 'b']])
})

test('LazyDeletes continues after a failed removal', async (context) => {
  const { clock, removed, deletes } = start(context, { failures: 1 })
  deletes.add('lost')
  await clock.advance(delayMs)
  deletes.add('next')
  await clock.advance(delayMs)
  assert.deepEqual(removed, [['next']])
})

test('LazyDeletes, when it is closed, removes what has waited for 5 s and nothing later', async (context) => {
  const { clock, removed, deletes } = start(context)
  deletes.add('old')
  await clock.advance(1)
  deletes.add('kept')
  await clock.advance(4_999)
  await deletes.close()
  assert.deepEqual(removed, [['old']])
  await clock.advance(delayMs * 2)
  assert.deepEqual(removed, [['old']])
})

test('LazyDeletes can be closed while the database is away', async (context) => {
  const { clock, removed, deletes } = start(context, { failures: 9 })
  deletes.add('lost')
  await clock.advance(5_000)
  await deletes.close()
  assert.deepEqual(removed, [])
})

interface Overrides {
  readonly maxWaiting?: number
  readonly failures?: number
}

function start(
  context: { after(run: () => void): void },
  { maxWaiting = 1_000, failures = 0 }: Overrides = {},
) {
  let now = 0
  let failuresLeft = failures
  mock.timers.enable({ apis: ['setTimeout'] })
  mock.method(performance, 'now', () => now)
  context.after(() => {
    mock.timers.reset()
    mock.restoreAll()
  })
  const removed: (readonly string[])[] = []
  const remove = async (keys: readonly string[]) => {
    failuresLeft -= 1
    if (failuresLeft >= 0) throw new Error('the database is away')
    removed.push(keys)
  }
  const clock = {
    async advance(ms: number) {
      now += ms
      mock.timers.tick(ms)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
  return { clock, removed, deletes: new LazyDeletes({ delayMs, maxWaiting, remove }) }
}
