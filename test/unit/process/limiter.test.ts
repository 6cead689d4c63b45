import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Lane } from '../../../src/process/limiter.ts'

const never = new AbortController().signal

test('Lane.enter lets in as many as there are places, then in order', async () => {
  const lane = new Lane(2)
  const order: string[] = []
  const enter = async (name: string) => {
    const leave = await lane.enter(never)
    order.push(name)
    return leave
  }
  const leaveFirst = await enter('a')
  await enter('b')
  const third = enter('c')
  const fourth = enter('d')
  await Promise.resolve()
  assert.deepEqual(order, ['a', 'b'])
  leaveFirst()
  leaveFirst()
  const leaveThird = await third
  assert.deepEqual(order, ['a', 'b', 'c'])
  leaveThird()
  await fourth
  assert.deepEqual(order, ['a', 'b', 'c', 'd'])
})

test('Lane.enter forgets who stopped waiting', async () => {
  const lane = new Lane(1)
  const leave = await lane.enter(never)
  const stop = new AbortController()
  const waiting = lane.enter(stop.signal)
  stop.abort(new Error('left'))
  await assert.rejects(waiting, /left/)
  await assert.rejects(lane.enter(stop.signal), /left/)
  leave()
  await lane.enter(never)
})
