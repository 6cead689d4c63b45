import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Database } from '../../../../src/platform/state/database.ts'
import { DatabaseClock } from '../../../../src/platform/state/database-clock.ts'

const unused = () => Promise.reject(new Error('not asked for'))
const database: Database = {
  kind: 'test',
  read: unused,
  write: unused,
  check: unused,
  close: unused,
}

describe('DatabaseClock', () => {
  it("uses this machine's time when the database has no clock", async (t) => {
    t.mock.method(Date, 'now', () => 5_000)
    const clock = await DatabaseClock.start(database)
    assert.equal(clock.now(), 5_000)
  })

  it('is corrected every minute, and stays unchanged while the database is unavailable', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval', 'Date'], now: 1_000_000 })
    t.mock.method(performance, 'now', () => Date.now() - 900_000)
    const answers = [() => Date.now() + 40_000, undefined, () => Date.now() - 7_000]
    const clock = await DatabaseClock.start({
      ...database,
      clockMs: async () => answers.shift()?.() ?? unused(),
    })
    t.after(() => clock.stop())
    const ahead = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      return Math.round((clock.now() - Date.now()) / 1_000)
    }
    assert.equal(await ahead(), 40)
    t.mock.timers.tick(60_000)
    assert.equal(await ahead(), 40)
    t.mock.timers.tick(60_000)
    assert.equal(await ahead(), -7)
  })

  it("follows the monotonic clock when this machine's clock is set, and measures again", async (t) => {
    let wall = 1_000_000
    const monotonic = 5_000
    t.mock.method(Date, 'now', () => wall)
    t.mock.method(performance, 'now', () => monotonic)
    const measured: number[] = []
    const remote = { ...database, clockMs: async () => 1_000_300 }
    const clock = await DatabaseClock.start(remote, (aheadMs) => measured.push(aheadMs))
    t.after(() => clock.stop())
    for (const jump of [60_000, -120_000]) {
      wall += jump
      assert.equal(clock.now(), 1_000_300)
      await new Promise((resolve) => setImmediate(resolve))
      assert.equal(clock.now(), 1_000_300)
    }
    assert.deepEqual(measured, [300, -59_700, 60_300])
    assert.equal(clock.aheadMs, 60_300)
  })

  it('measures again after a slow answer', async (t) => {
    let age = 0
    t.mock.method(performance, 'now', () => age)
    t.mock.method(Date, 'now', () => age + 1_000_000)
    const took = [30_000, 10]
    const clock = await DatabaseClock.start({
      ...database,
      clockMs: async () => {
        age += took.shift() ?? 0
        return Date.now() + 3_000
      },
    })
    t.after(() => clock.stop())
    assert.ok(Math.abs(clock.aheadMs - 3_000) < 500, String(clock.aheadMs))
    assert.deepEqual(took, [])
  })

  it('keeps an estimate if a late reply does not contradict it, and only then', async (t) => {
    const nowMs = 50_000
    t.mock.method(performance, 'now', () => nowMs)
    t.mock.method(Date, 'now', () => 1_050_000)
    const clock = await DatabaseClock.start({ ...database, clockMs: async () => 2_050_000 })
    t.after(() => clock.stop())
    const ask = (timeMs: number, tookMs: number) => {
      clock.observe(timeMs, nowMs - tookMs, nowMs)
      return clock.now()
    }
    // It waited for a connection before or after its time was read.
    assert.equal(ask(2_050_000, 10_000), 2_050_000)
    assert.equal(ask(2_040_000, 10_000), 2_050_000)
    assert.equal(ask(2_049_998, 4), 2_050_000)
    // The clock was set by an hour.
    assert.equal(ask(5_650_000, 10_000), 5_655_000)
    assert.equal(ask(5_650_000, 4), 5_650_002)
    assert.equal(ask(2_050_000, 4), 2_050_002)
  })

  it('is not set by a late answer that differs from the estimate by a moment', async (t) => {
    const nowMs = 50_000
    t.mock.method(performance, 'now', () => nowMs)
    t.mock.method(Date, 'now', () => 1_050_000)
    const clock = await DatabaseClock.start({ ...database, clockMs: async () => 2_050_000 })
    t.after(() => clock.stop())
    // It waited 10 s for a connection before its time was read, or after that.
    clock.observe(2_050_001, nowMs - 10_000, nowMs)
    assert.equal(clock.now(), 2_050_001)
    clock.observe(2_040_000, nowMs - 10_000, nowMs)
    assert.equal(clock.now(), 2_050_000)
  })

  it('uses the fastest reply at the start, if all are late', async (t) => {
    let nowMs = 0
    t.mock.method(performance, 'now', () => nowMs)
    t.mock.method(Date, 'now', () => nowMs)
    const took = [8_000, 2_000, 6_000]
    const clock = await DatabaseClock.start({
      ...database,
      clockMs: async () => {
        nowMs += took.shift() ?? 0
        return nowMs
      },
    })
    t.after(() => clock.stop())
    assert.deepEqual(took, [])
    assert.equal(clock.aheadMs, 1_000)
  })

  it('does not start without an answer', async () => {
    await assert.rejects(DatabaseClock.start({ ...database, clockMs: unused }), /not asked for/)
  })
})
