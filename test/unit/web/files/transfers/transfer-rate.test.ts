import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { secondsLeft, TransferRate } from '../../../../../web/src/files/transfers/transfer-rate.ts'

describe('TransferRate', () => {
  test('returns bytes per second over the last seconds', () => {
    const rate = new TransferRate()
    for (let second = 0; second <= 30; second += 1) rate.add(1_000, second * 1_000)
    assert.equal(rate.bytesPerSecond(30_000), 1_000)
  })

  test('ignores older samples', () => {
    const rate = new TransferRate()
    rate.add(0, 0)
    rate.add(1_000_000, 1_000)
    for (let second = 2; second <= 30; second += 1) rate.add(100, second * 1_000)
    assert.equal(Math.round(rate.bytesPerSecond(30_000)), 100)
  })

  test('returns 0 at the start and after a restart', () => {
    const rate = new TransferRate()
    rate.add(5_000, 0)
    assert.equal(rate.bytesPerSecond(100), 0)
    rate.add(5_000, 5_000)
    rate.restart()
    assert.equal(rate.bytesPerSecond(5_100), 0)
  })

  test('falls to zero without progress', () => {
    const rate = new TransferRate()
    rate.add(0, 0)
    rate.add(8_000, 1_000)
    assert.equal(rate.bytesPerSecond(4_000), 2_000)
    assert.equal(rate.bytesPerSecond(60_000), 0)
  })

  test('is never negative when bytes are sent again', () => {
    const rate = new TransferRate()
    rate.add(1_000, 0)
    rate.add(-1_000, 2_000)
    assert.equal(rate.bytesPerSecond(2_000), 0)
  })
})

test('secondsLeft is a whole number, and undefined without a speed', () => {
  assert.equal(secondsLeft(1_001, 500), 3)
  assert.equal(secondsLeft(1_000, 0), undefined)
})
