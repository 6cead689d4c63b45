import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Limiter } from '../../../../src/platform/process/limiter.ts'

const never = new AbortController().signal

function task() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let hasBegun = false
  const run = () => {
    hasBegun = true
    return promise
  }
  return { run, resolve, reject, hasBegun: () => hasBegun }
}

test('Limiter.run runs at most its number of tasks at a time, in order', async () => {
  const limiter = new Limiter(2)
  const tasks = [task(), task(), task(), task()] as const
  const results = tasks.map(({ run }) => limiter.run(never, run))
  await turn()
  assert.deepEqual(
    tasks.map(({ hasBegun }) => hasBegun()),
    [true, true, false, false],
  )
  tasks[1].resolve('b')
  assert.equal(await results[1], 'b')
  await turn()
  assert.deepEqual(
    tasks.map(({ hasBegun }) => hasBegun()),
    [true, true, true, false],
  )
  for (const { resolve } of tasks) resolve('x')
  assert.deepEqual(await Promise.all(results), ['x', 'b', 'x', 'x'])
})

test('Limiter.run frees the slot when a task fails', async () => {
  const limiter = new Limiter(1)
  const first = task()
  const failed = assert.rejects(limiter.run(never, first.run), /broken/)
  const second = limiter.run(never, async () => 'done')
  first.reject(new Error('broken'))
  await failed
  assert.equal(await second, 'done')
})

test('Limiter.run does not start a task if its signal aborts while it waits', async () => {
  const limiter = new Limiter(1)
  const first = task()
  const running = limiter.run(never, first.run)
  const waiting = new AbortController()
  const second = task()
  const refused = assert.rejects(limiter.run(waiting.signal, second.run), /enough/)
  waiting.abort(new Error('enough'))
  await refused
  first.resolve('done')
  await running
  assert.equal(second.hasBegun(), false)
  assert.equal(await limiter.run(never, async () => 'free again'), 'free again')
})
