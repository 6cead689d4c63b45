import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeat } from '../../../../src/platform/process/repeat.ts'

test('Repeated work gets a signal to stop', async () => {
  const repetition = repeat(
    (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    { everyMs: 1, onError: (error) => assert.fail(String(error)) },
  )
  await repetition.stop()
})

test('Repeated work runs one at a time, survives errors and stops after the run under way', async () => {
  const errors: unknown[] = []
  let running = 0
  let runs = 0
  let third: () => void = () => undefined
  const reachedThird = new Promise<void>((resolve) => {
    third = resolve
  })
  const repetition = repeat(
    async () => {
      running += 1
      assert.equal(running, 1)
      runs += 1
      if (runs === 3) third()
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      throw new Error(`run ${runs}`)
    },
    { everyMs: 1, onError: (error) => errors.push(error) },
  )
  // The timer of `repeat` does not keep a process alive; this one does meanwhile.
  const alive = setInterval(() => undefined, 1_000)
  await reachedThird
  await repetition.stop()
  clearInterval(alive)
  assert.equal(running, 0)
  assert.equal(errors.length, 3)
})

test('Repeated work can wait before its first run', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let runs = 0
  const work = async () => {
    runs += 1
  }
  const repetition = repeat(work, { everyMs: 10, waitsFirst: true, onError: () => undefined })
  t.mock.timers.tick(9)
  assert.equal(runs, 0)
  t.mock.timers.tick(1)
  assert.equal(runs, 1)
  await repetition.stop()
})
