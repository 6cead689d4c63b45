import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Limiter } from '../../../../src/platform/process/limiter.ts'

const never = new AbortController().signal

test('Limiter.enter gives out its slots, then lets callers wait in order', async () => {
  const limiter = new Limiter(2)
  const order: string[] = []
  const enter = async (name: string) => {
    const leave = await limiter.enter(never)
    order.push(name)
    return leave
  }
  const leaveFirst = await enter('a')
  await enter('b')
  const third = enter('c')
  const fourth = enter('d')
  await Promise.resolve()
  assert.deepEqual(order, ['a', 'b'])
  assert.equal(limiter.waiting, 2)
  leaveFirst()
  leaveFirst()
  const leaveThird = await third
  assert.deepEqual(order, ['a', 'b', 'c'])
  leaveThird()
  await fourth
  assert.deepEqual(order, ['a', 'b', 'c', 'd'])
})

test('Limiter.enter skips callers that stopped waiting', async () => {
  const limiter = new Limiter(1)
  const leave = await limiter.enter(never)
  const stop = new AbortController()
  const waiting = limiter.enter(stop.signal)
  stop.abort(new Error('left'))
  await assert.rejects(waiting, /left/)
  await assert.rejects(limiter.enter(stop.signal), /left/)
  leave()
  await limiter.enter(never)
})

test('Limiter.resize lets waiting tasks run, or fewer once enough have ended', async () => {
  const limiter = new Limiter(0)
  const first = limiter.enter(never)
  limiter.resize(3)
  const leaves = [await first, limiter.enterNow(), limiter.enterNow()]
  limiter.resize(1)
  const waiting = limiter.enter(never)
  leaves[0]?.()
  leaves[1]?.()
  assert.equal(limiter.waiting, 1)
  leaves[2]?.()
  const leave = await waiting
  assert.equal(limiter.enterNow(), undefined)
  leave()
  assert.ok(limiter.enterNow())
})
