import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LockClock } from '../../../../src/storage/buckets/lock-clock.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const begin = Date.UTC(2026, 0, 1)

/** A machine with a clock that can be set, and a database. */
class World {
  clockMs = begin
  passedMs = 0
  stored: number | undefined
  writes = 0
  isDown = false
  readonly warnings: string[] = []
  readonly table = {
    read: async () => {
      if (this.isDown) throw new Error('down')
      return this.stored
    },
    raise: async (ms: number) => {
      this.writes += 1
      this.stored = Math.max(ms, this.stored ?? 0)
      return this.stored
    },
  }

  pass(ms: number): void {
    this.clockMs += ms
    this.passedMs += ms
  }

  process(): LockClock {
    return new LockClock({
      table: this.table,
      now: () => this.clockMs,
      monotonic: () => this.passedMs,
      log: { warn: (_, message) => this.warnings.push(message) },
    })
  }
}

test('LockClock follows the clock, and writes once an hour', async () => {
  const world = new World()
  const clock = world.process()
  for (let minute = 0; minute < 180; minute++) {
    assert.deepEqual(await clock.read(), { endedMs: world.clockMs, startMs: world.clockMs })
    world.pass(60_000)
  }
  assert.equal(world.writes, 3)
  assert.deepEqual(world.warnings, [])
})

test('LockClock does not go back with the clock, also after a restart', async () => {
  const world = new World()
  await world.process().read()
  world.pass(2 * hourMs)
  const clock = world.process()
  await clock.read()
  const seen = world.clockMs
  world.clockMs -= 400 * dayMs
  const back = { endedMs: seen, startMs: seen }
  assert.deepEqual(await clock.read(), back)
  assert.deepEqual(await world.process().read(), back)
  assert.match(world.warnings.join(), /clock differs/)
})

test('LockClock follows a clock that jumps ahead at double speed', async () => {
  const world = new World()
  const clock = world.process()
  await clock.read()
  world.clockMs += 365 * dayMs
  const jumped = world.clockMs
  assert.deepEqual(await clock.read(), { endedMs: begin, startMs: jumped })
  assert.equal(world.warnings.length, 1)
  world.pass(hourMs)
  assert.equal((await clock.read()).endedMs, begin + 2 * hourMs)
  world.clockMs -= 365 * dayMs
  world.pass(hourMs / 2)
  assert.equal((await clock.read()).endedMs, begin + 2 * hourMs, 'until the clock is there')
  world.pass(hourMs)
  assert.equal((await clock.read()).endedMs, world.clockMs)
})

test('LockClock does not end a retention early, also if nobody reads it for long', async () => {
  const world = new World()
  const clock = world.process()
  await clock.read()
  world.clockMs += 365 * dayMs
  world.pass(30 * dayMs)
  assert.equal((await clock.read()).endedMs, begin + 60 * dayMs)
})

test('LockClock believes at its start what passes during a restart, and no more', async () => {
  for (const [hours, believed] of [
    [2, 2],
    [3, 0],
  ] as const) {
    const world = new World()
    await world.process().read()
    world.clockMs += hours * hourMs
    const { endedMs } = await world.process().read()
    assert.equal(endedMs, begin + believed * hourMs)
  }
})

test('LockClock restarted again and again does not follow a clock that is far ahead', async () => {
  const world = new World()
  await world.process().read()
  world.clockMs += 365 * dayMs
  for (let start = 0; start < 100; start++) await world.process().read()
  assert.equal((await world.process().read()).endedMs, begin)
})

test('LockClock takes over the later time of another process', async () => {
  const world = new World()
  const clock = world.process()
  await clock.read()
  const later = begin + 20 * dayMs
  world.stored = later
  world.pass(hourMs)
  assert.equal((await clock.read()).endedMs, later)
})

test('LockClock rejects while the database does not respond, and reads it again later', async () => {
  const world = new World()
  const clock = world.process()
  world.isDown = true
  await assert.rejects(clock.read(), /down/)
  world.isDown = false
  assert.equal((await clock.read()).endedMs, begin)
})
