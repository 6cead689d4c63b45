import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { longestLagMs, minimumRate } from '../../../../../../src/platform/process/slow-client.ts'
import type { ReadPriority } from '../../../../../../src/storage/drives/drive.ts'
import type { DriveError } from '../../../../../../src/storage/drives/drive-error.ts'
import { Reader, ReadLimiter } from '../../../../../../src/storage/drives/kit/cloud/read-limiter.ts'

const never = new AbortController().signal
const second = 1_000

class World {
  readonly limiter: ReadLimiter
  readonly ended: string[] = []
  readonly #t: TestContext
  #nowMs = 5

  constructor(t: TestContext, size: number) {
    t.mock.timers.enable({ apis: ['setInterval'] })
    this.#t = t
    this.limiter = new ReadLimiter(size)
  }

  /** Time goes by, in seconds. */
  pass(seconds: number): void {
    for (let passed = 0; passed < seconds; passed++) {
      this.#nowMs += second
      this.#t.mock.timers.tick(second)
    }
  }

  reader(name: string, priority: ReadPriority, leave?: () => (() => void) | undefined): Reader {
    const end = (reason: DriveError) => {
      assert.equal(reason.kind, 'busy')
      this.ended.push(name)
      leave?.()?.()
    }
    return new Reader({ priority, end, elapsed: () => this.#nowMs })
  }

  /** A reader with a place whose client does not take the bytes. */
  stalled(name: string, priority: ReadPriority): Reader {
    let leave: (() => void) | undefined
    const reader = this.reader(name, priority, () => leave)
    leave = this.limiter.enterNow(reader)
    assert.ok(leave)
    reader.gave()
    return reader
  }
}

describe('ReadLimiter', () => {
  it('reserves half of the places for readers of normal priority', (t) => {
    const world = new World(t, 4)
    world.stalled('a', 'low')
    world.stalled('b', 'low')
    assert.equal(world.limiter.enterNow(world.reader('c', 'low')), undefined)
    assert.ok(world.limiter.enterNow(world.reader('d', 'normal')))
    assert.ok(world.limiter.enterNow())
    assert.equal(world.limiter.enterNow(world.reader('e', 'normal')), undefined)
  })

  it('ends no slow reader while no other waits', (t) => {
    const world = new World(t, 1)
    world.stalled('slow', 'normal')
    world.pass(3_600)
    assert.deepEqual(world.ended, [])
  })

  it('gives the place of a reader whose client stalls for 30 seconds to one that waits', async (t) => {
    const world = new World(t, 1)
    world.stalled('slow', 'normal')
    world.pass(longestLagMs / second - 2)
    const entering = world.limiter.enter(never, world.reader('next', 'normal'))
    world.pass(1)
    assert.deepEqual(world.ended, [])
    world.pass(1)
    assert.deepEqual(world.ended, ['slow'])
    assert.ok(await entering)
  })

  it('ends one reader for each that waits: first those of low priority, then the slowest', async (t) => {
    const world = new World(t, 4)
    world.stalled('slowest', 'normal')
    world.pass(1)
    world.stalled('slow', 'normal')
    world.pass(1)
    world.stalled('low', 'low')
    world.stalled('lower', 'low')
    world.pass(40)
    for (const ended of [['low'], ['low', 'lower'], ['low', 'lower', 'slowest']]) {
      await world.limiter.enter(never, world.reader('next', 'normal'))
      world.pass(5)
      assert.deepEqual(world.ended, ended)
    }
  })

  it('ends no reader of normal priority for one of low priority', async (t) => {
    const world = new World(t, 1)
    world.stalled('slow', 'normal')
    const waiting = new AbortController()
    const entering = world.limiter.enter(waiting.signal, world.reader('low', 'low'))
    world.pass(100)
    assert.deepEqual(world.ended, [])
    waiting.abort(new Error('gone'))
    await assert.rejects(entering, /gone/)
    const next = world.limiter.enter(never, world.reader('next', 'normal'))
    assert.deepEqual(world.ended, ['slow'])
    assert.ok(await next)
  })

  it('returns every place, including those of readers that stop waiting', async (t) => {
    const world = new World(t, 2)
    const places = ['low', 'normal'] as const
    for (let round = 0; round < 3; round++) {
      const leaves = await Promise.all(
        places.map((priority) => world.limiter.enter(never, world.reader('x', priority))),
      )
      const gone = new AbortController()
      const entering = places.map((priority) =>
        world.limiter.enter(gone.signal, world.reader('y', priority)),
      )
      gone.abort(new Error('gone'))
      for (const one of entering) await assert.rejects(one, /gone/)
      for (const leave of leaves) {
        leave()
        leave()
      }
    }
  })
})

describe('the lag of a Reader', () => {
  it('counts the time of the client and not that of the drive', (t) => {
    const world = new World(t, 1)
    const reader = world.reader('r', 'normal')
    world.pass(100)
    assert.equal(reader.lagMs, 0)
    reader.gave()
    world.pass(10)
    assert.equal(reader.lagMs, 10 * second)
    reader.took(0)
    world.pass(100)
    assert.equal(reader.lagMs, 10 * second)
  })

  it('stays small for a client at the minimum rate, without credit for earlier speed', (t) => {
    const world = new World(t, 1)
    const reader = world.reader('r', 'normal')
    for (let chunk = 0; chunk < 100; chunk++) {
      reader.gave()
      world.pass(1)
      reader.took(chunk < 50 ? minimumRate * 1_000 : minimumRate)
    }
    assert.ok(reader.lagMs < second)
    reader.gave()
    world.pass(30)
    assert.equal(reader.lagMs, longestLagMs)
  })
})
