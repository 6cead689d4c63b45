import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { forEachLimited } from '../../../../src/platform/process/limiter.ts'

test('Every item has its task, and at most so many run at a time', async () => {
  const done: number[] = []
  let running = 0
  let most = 0
  await forEachLimited(
    Array.from({ length: 10 }, (_, index) => index),
    3,
    async (item) => {
      running += 1
      most = Math.max(most, running)
      for (let left = item % 4; left > 0; left -= 1) await turn()
      done.push(item)
      running -= 1
    },
  )
  assert.equal(most, 3)
  assert.deepEqual(done.toSorted(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})

test('After a failure no task begins, and those that run come to their end', async () => {
  const begun: number[] = []
  const ended: number[] = []
  const running = forEachLimited([0, 1, 2, 3], 2, async (item) => {
    begun.push(item)
    if (item === 0) throw new Error('full')
    await turn()
    ended.push(item)
  })
  await assert.rejects(running, { message: 'full' })
  assert.deepEqual({ begun, ended }, { begun: [0, 1], ended: [1] })
})

test('Nothing happens without items', async () => {
  await forEachLimited([], 4, () => Promise.reject(new Error('called')))
})
