import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pace } from '../../../../../../src/storage/drives/local/objects/pace.ts'

/** A Pace with fake clocks, and calls of given durations, in which the thread also waits for a core. */
function makePace() {
  let nowMs = 1_000
  let coreWaitMs = 0
  const pace = new Pace(false, { now: () => nowMs, coreWaitMs: () => coreWaitMs })
  const call = (tookMs: number, waitedMs = 0): 'sync' | 'async' => {
    let ran: 'sync' | 'async' | undefined
    const setRan = (form: 'sync' | 'async') => {
      ran = form
    }
    const result = pace.run(
      () => {
        nowMs += tookMs + waitedMs
        coreWaitMs += waitedMs
        setRan('sync')
      },
      async () => setRan('async'),
    )
    const form = result instanceof Promise ? 'async' : 'sync'
    assert.equal(ran, form)
    return form
  }
  const wait = (ms: number) => {
    nowMs += ms
  }
  const waitForCore = (ms: number) => {
    wait(ms)
    coreWaitMs += ms
  }
  return { pace, call, wait, waitForCore }
}

function callMany(call: (tookMs: number) => string, tookMs: number, count: number): void {
  for (let index = 0; index < count; index++) call(tookMs)
}

test('run stays synchronous while calls are fast', () => {
  const { call } = makePace()
  for (let index = 0; index < 10_000; index++) assert.equal(call(0.003), 'sync')
})

test('run stays synchronous when single calls are slow', () => {
  const { call } = makePace()
  for (let round = 0; round < 100; round++) {
    assert.equal(call(5), 'sync')
    for (let index = 0; index < 100; index++) assert.equal(call(0.003), 'sync')
  }
})

test('run uses the thread pool for a while after several slow calls', () => {
  const { call, wait } = makePace()
  callMany(call, 5, 3)
  assert.equal(call(5), 'async')
  wait(199)
  assert.equal(call(5), 'async')
  wait(2)
  assert.equal(call(0.003), 'sync')
})

test('run uses the thread pool after one very slow call', () => {
  const { call } = makePace()
  assert.equal(call(500), 'sync')
  assert.equal(call(500), 'async')
})

test('run uses the thread pool longer each time calls are slow again, up to a limit', () => {
  const { call, wait } = makePace()
  const pauses: number[] = []
  for (let round = 0; round < 8; round++) {
    callMany(call, 30, 1)
    let pauseMs = 0
    for (; call(0.003) === 'async'; pauseMs += 100) wait(100)
    pauses.push(pauseMs)
  }
  assert.deepEqual(pauses, [200, 400, 800, 1600, 3200, 6400, 6400, 6400])
  wait(60_000)
  call(30)
  wait(201)
  assert.equal(call(0.003), 'sync')
})

test('run stays synchronous when the thread waits for a core', () => {
  const { call } = makePace()
  for (let index = 0; index < 100; index++) assert.equal(call(0.003, 100), 'sync')
})

test('run uses the thread pool after several slow calls in which the thread also waits for a core', () => {
  const { call } = makePace()
  callMany((tookMs) => call(tookMs, 3), 5, 3)
  assert.equal(call(5), 'async')
})

test('run takes a slow call for a wait for a core if there was as much between the calls', () => {
  const { call, waitForCore } = makePace()
  waitForCore(60_000)
  assert.equal(call(500), 'sync')
  assert.equal(call(500), 'sync')
  assert.equal(call(500), 'async')
})

test('run uses the thread pool while calls sleep, by the clocks of the system', () => {
  const pace = new Pace(false)
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  // The first may be taken for a wait for a core: the clock of these waits is read after a slow call only.
  for (let left = 20; pace.tryNow(() => Atomics.wait(sleeper, 0, 0, 60)) !== undefined; left--) {
    assert.notEqual(left, 0)
  }
})

test('run counts slow calls that fail', () => {
  const { pace } = makePace()
  assert.throws(
    () =>
      pace.run(
        () => {
          throw new Error('no')
        },
        async () => undefined,
      ),
    /no/,
  )
})

test('no call that may hang is synchronous', () => {
  const pace = new Pace(true)
  const fail = () => assert.fail('synchronous')
  assert.equal(pace.tryNow(fail), undefined)
  assert.ok(pace.run(fail, async () => 1) instanceof Promise)
})
