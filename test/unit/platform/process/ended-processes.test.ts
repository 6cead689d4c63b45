import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  confirmEndedGateways,
  hasEnded,
  setEndedGateways,
} from '../../../../src/platform/process/ended-processes.ts'
import { startOf, thisProcess, ticksNow } from '../../../../src/platform/process/identity.ts'

test('The processes of a gateway that has ended are those that started during its life', (t) => {
  t.after(() => setEndedGateways([], []))
  setEndedGateways([{ process: 'far.1/7/1000', untilTicks: 5_000 }], [])
  for (const name of ['far.1/7/1000', 'far.1/8/1001', 'far.1/9/5000']) {
    assert.equal(hasEnded(name), true, name)
  }
  for (const name of [
    'far.1/6/999',
    'far.1/9/5001',
    'far.2/8/1001',
    'far.1/8/',
    'far.1',
    '',
    'far.1/8/1e3',
  ]) {
    assert.equal(hasEnded(name), false, name)
  }
})

test('`hasEnded` is false when the database has not confirmed it for five seconds', (t) => {
  t.after(() => setEndedGateways([], []))
  const clock = t.mock.method(performance, 'now', () => 1e9)
  setEndedGateways([{ process: 'far.1/7/1000', untilTicks: 5_000 }], [])
  clock.mock.mockImplementation(() => 1e9 + 5_000)
  assert.equal(hasEnded('far.1/7/1000'), true)
  clock.mock.mockImplementation(() => 1e9 + 5_001)
  assert.equal(hasEnded('far.1/7/1000'), false)
  // It was asked before, and the answer took long.
  confirmEndedGateways(1e9)
  assert.equal(hasEnded('far.1/7/1000'), false)
  confirmEndedGateways(1e9 + 4_000)
  assert.equal(hasEnded('far.1/7/1000'), true)
})

test('Nothing is said of a host on which another gateway runs', (t) => {
  t.after(() => setEndedGateways([], []))
  const gateways = [
    { process: 'far.1/7/1000', untilTicks: 5_000 },
    { process: 'near.1/7/1000', untilTicks: 5_000 },
  ]
  setEndedGateways(gateways, ['far.1/70/9000'])
  assert.equal(hasEnded('far.1/7/1000'), false)
  assert.equal(hasEnded('near.1/7/1000'), true)
  setEndedGateways([], [])
  assert.equal(hasEnded('near.1/7/1000'), false)
})

test('A name without a start time says nothing', (t) => {
  t.after(() => setEndedGateways([], []))
  setEndedGateways([{ process: 'mac/7/', untilTicks: 0 }], [])
  assert.equal(hasEnded('mac/7/'), false)
  assert.equal(startOf('mac/7/'), undefined)
})

test('The ticks of now are after those of the start', {
  skip: process.platform !== 'linux',
}, () => {
  const start = startOf(thisProcess)
  assert.ok(start)
  const elapsed = ticksNow() - start.ticks
  assert.ok(elapsed >= 0 && elapsed < 1e6, String(elapsed))
})
