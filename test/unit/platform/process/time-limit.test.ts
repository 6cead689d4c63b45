import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import {
  delayedAbort,
  TimeLimitError,
  untilAborted,
  withinTime,
} from '../../../../src/platform/process/time-limit.ts'

const never = new Promise<never>(() => undefined)

test('withinTime settles as the work does', async () => {
  assert.equal(await withinTime(Promise.resolve(5), 1_000), 5)
  await assert.rejects(withinTime(Promise.reject(new Error('down')), 1_000), /down/)
})

test('withinTime rejects when the work takes too long', async () => {
  await assert.rejects(withinTime(never, 5), TimeLimitError)
})

test('untilAborted settles as the work does and removes its listener from the signal', async () => {
  const { signal } = new AbortController()
  assert.equal(await untilAborted(Promise.resolve(5), signal), 5)
  await assert.rejects(untilAborted(Promise.reject(new Error('down')), signal), /down/)
  await new Promise(setImmediate)
  assert.deepEqual(getEventListeners(signal, 'abort'), [])
})

test('untilAborted rejects with the reason of a signal that has aborted or aborts later', async () => {
  await assert.rejects(untilAborted(never, AbortSignal.abort('before')), (why) => why === 'before')
  const controller = new AbortController()
  const waiting = untilAborted(never, controller.signal)
  controller.abort('later')
  await assert.rejects(waiting, (why) => why === 'later')
})

test('delayedAbort aborts later, for the same reason', async () => {
  const controller = new AbortController()
  const late = delayedAbort(controller.signal, 5)
  assert.equal(late.aborted, false)
  controller.abort('enough')
  assert.equal(late.aborted, false)
  await assert.rejects(untilAborted(never, late), (why) => why === 'enough')
  await assert.rejects(untilAborted(never, delayedAbort(controller.signal, 1)))
})
