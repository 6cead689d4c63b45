import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DriveError } from '../../../../../../src/storage/drives/drive-error.ts'
import {
  type Cost,
  defaultQuota,
  RateBudget,
} from '../../../../../../src/storage/drives/google/api/rate-budget.ts'
import { FakeClock } from './scripted-google.ts'

const small = { unitsPerMinute: 600, costs: { ...defaultQuota.costs, get: 1, list: 10 } }

test('RateBudget.take grants no more units per minute than the quota', async () => {
  const call = fc.record({
    cost: fc.constantFrom<Cost>('get', 'list'),
    idleMs: fc.integer({ min: 0, max: 20_000 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 300 }), async (calls) => {
      const clock = new FakeClock()
      const budget = new RateBudget(small, clock)
      const taken: { readonly atMs: number; readonly units: number }[] = []
      for (const { cost, idleMs } of calls) {
        // Mostly one call after the other, sometimes a pause.
        clock.nowMs += idleMs < 15_000 ? 0 : idleMs
        await budget.take(cost, { deadlineMs: Number.POSITIVE_INFINITY })
        taken.push({ atMs: clock.nowMs, units: small.costs[cost] })
      }
      for (const { atMs } of taken) {
        const minute = taken.filter((one) => one.atMs >= atMs && one.atMs < atMs + 60_000)
        const units = minute.reduce((sum, one) => sum + one.units, 0)
        assert.ok(units <= small.unitsPerMinute, `${units} units in a minute`)
      }
    }),
    { numRuns: 40 },
  )
})

test("RateBudget.take grants a fifth of a minute's units at once, the rest evenly", async () => {
  const clock = new FakeClock()
  const budget = new RateBudget(small, clock)
  const take = () => budget.take('list', { deadlineMs: Number.POSITIVE_INFINITY })
  for (let count = 0; count < 12; count++) await take()
  assert.deepEqual(clock.waits, [])
  await take()
  await take()
  // 480 units a minute are one call of 10 units in 1,250 ms.
  assert.deepEqual(clock.waits.map(Math.round), [1250, 1250])
})

test('RateBudget.take grants its share of the parties that there are at the moment', async () => {
  const clock = new FakeClock()
  let parties = 3
  const budget = new RateBudget({ ...small, sharedBy: () => parties }, clock)
  const take = () => budget.take('list', { deadlineMs: Number.POSITIVE_INFINITY })
  for (let count = 0; count < 4; count++) await take()
  assert.deepEqual(clock.waits, [])
  await take()
  parties = 2
  await take()
  parties = 1
  await take()
  assert.deepEqual(clock.waits.map(Math.round), [3750, 2500, 1250])
})

test('RateBudget.take rejects a call beyond the deadline at once, and takes no units', async () => {
  const clock = new FakeClock()
  const budget = new RateBudget(small, clock)
  const take = (deadlineMs: number) => budget.take('list', { deadlineMs })
  for (let count = 0; count < 12; count++) await take(clock.nowMs)
  for (let count = 0; count < 5; count++) {
    await assert.rejects(take(clock.nowMs + 1000), (error) => {
      assert.ok(error instanceof DriveError)
      assert.equal(error.kind, 'busy')
      assert.equal(error.retryAfterSeconds, 2)
      return true
    })
  }
  await take(clock.nowMs + 1250)
  assert.deepEqual(clock.waits.map(Math.round), [1250])
})

test('RateBudget.pause delays all calls', async () => {
  const clock = new FakeClock()
  const budget = new RateBudget(small, clock)
  budget.pause(4000)
  budget.pause(1000)
  await assert.rejects(budget.take('get', { deadlineMs: clock.nowMs + 3000 }), { kind: 'busy' })
  await budget.take('get', { deadlineMs: clock.nowMs + 5000 })
  assert.deepEqual(clock.waits, [4000])
})

test('RateBudget.take returns the units of an aborted call', async () => {
  const clock = new FakeClock()
  const budget = new RateBudget(small, clock)
  for (let count = 0; count < 12; count++) await budget.take('list', { deadlineMs: clock.nowMs })
  const stop = new AbortController()
  clock.wait = async () => {
    stop.abort(new Error('left'))
    throw stop.signal.reason
  }
  const deadlineMs = clock.nowMs + 60_000
  await assert.rejects(budget.take('list', { deadlineMs, signal: stop.signal }), /left/)
  const waits: number[] = []
  clock.wait = async (ms) => {
    waits.push(Math.round(ms))
    clock.nowMs += ms
  }
  await budget.take('list', { deadlineMs })
  assert.deepEqual(waits, [1250])
})

test('RateBudget.take does not wait for a clock that was set back', async () => {
  const clock = new FakeClock()
  const budget = new RateBudget(small, clock)
  for (let count = 0; count < 12; count++) await budget.take('list', { deadlineMs: clock.nowMs })
  clock.setBackMs = 3_600_000
  await budget.take('list', { deadlineMs: clock.nowMs + 5000 })
  assert.deepEqual(clock.waits.map(Math.round), [1250])
})

test('RateBudget.pause for uploads does not delay other calls', async () => {
  const clock = new FakeClock()
  const budget = new RateBudget(small, clock)
  budget.pause(4000, { isUpload: true })
  await budget.take('get', { deadlineMs: clock.nowMs })
  const upload = { deadlineMs: clock.nowMs + 3000, isUpload: true }
  await assert.rejects(budget.take('get', upload), { kind: 'busy' })
  await budget.take('get', { ...upload, deadlineMs: clock.nowMs + 4000 })
  assert.deepEqual(clock.waits, [4000])
  budget.pause(4000)
  await assert.rejects(budget.take('get', { ...upload, deadlineMs: clock.nowMs }), { kind: 'busy' })
})
