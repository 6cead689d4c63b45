import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RevisionName } from '../../../../src/platform/state/revision-table.ts'
import { RevisionWatch } from '../../../../src/platform/state/revision-watch.ts'

function world() {
  const stored = new Map<RevisionName, number>([
    ['access-keys', 3],
    ['buckets', 0],
  ])
  const states: unknown[] = []
  const loads: string[] = []
  const clock = { ms: 0 }
  let problem: Error | undefined
  let reads = 0
  const watch = new RevisionWatch({
    revisions: {
      async read() {
        reads += 1
        if (problem !== undefined) throw problem
        return new Map(stored)
      },
    },
    everyMs: 2 ** 30,
    now: () => clock.ms,
    onState: (state) => states.push(state),
  })
  let hasStarted = false
  const follow = (name: RevisionName) => async (revision: number, isDoubtful: boolean) => {
    loads.push(`${name} ${revision}${hasStarted && isDoubtful ? ' again' : ''}`)
  }
  return {
    ...{ watch, stored, states, loads, clock },
    async start() {
      await watch.start({ 'access-keys': follow('access-keys'), buckets: follow('buckets') })
      hasStarted = true
    },
    fail(error: Error | undefined) {
      problem = error
    },
    reads: () => reads,
  }
}

test('Everything is loaded at the start, and later only what has changed', async (t) => {
  const { watch, start, stored, loads } = world()
  t.after(() => watch.stop())
  await start()
  assert.deepEqual(loads, ['access-keys 3', 'buckets 0'])
  await watch.check()
  assert.equal(loads.length, 2)
  stored.set('buckets', 1)
  await watch.check()
  assert.deepEqual(loads.slice(2), ['buckets 1'])
})

test('A request asks again only when the last answer is older than a second', async (t) => {
  const { watch, start, clock, stored, loads, reads } = world()
  t.after(() => watch.stop())
  await start()
  clock.ms = 1_000
  assert.equal(watch.ensureFresh(), undefined)
  clock.ms = 1_001
  stored.set('access-keys', 4)
  await Promise.all([watch.ensureFresh(), watch.ensureFresh()])
  assert.deepEqual(loads.slice(2), ['access-keys 4'])
  assert.equal(watch.ageMs, 0)
  assert.ok(reads() <= 3)
})

test('While the database does not answer, the age grows and the copies stay', async (t) => {
  const { watch, start, clock, stored, states, loads, fail } = world()
  t.after(() => watch.stop())
  await start()
  const away = new Error('away')
  fail(away)
  clock.ms = 5_000
  await watch.ensureFresh()
  await watch.ensureFresh()
  assert.equal(watch.ageMs, 5_000)
  assert.deepEqual(states, [away])
  fail(undefined)
  stored.set('buckets', 9)
  await watch.ensureFresh()
  assert.equal(watch.ageMs, 0)
  assert.deepEqual(states, [away, undefined])
  assert.deepEqual(loads.slice(2), ['access-keys 3 again', 'buckets 9 again'])
})

test('After a long time without a reply, everything is loaded again, even if revisions are equal', async (t) => {
  const { watch, start, clock, stored, loads } = world()
  t.after(() => watch.stop())
  await start()
  clock.ms = 2_000
  await watch.check()
  assert.equal(loads.length, 2)
  clock.ms = 4_001
  stored.set('buckets', 9)
  await watch.check()
  await watch.check()
  assert.deepEqual(loads.slice(2), ['access-keys 3 again', 'buckets 9 again'])
})

test('onCurrent gets the time of the question, and is not called after a reload that failed', async (t) => {
  const current: number[] = []
  const clock = { ms: 7 }
  let problem: Error | undefined
  const watch = new RevisionWatch({
    revisions: { read: async () => new Map([['gateways', clock.ms++]]) },
    everyMs: 2 ** 30,
    now: () => clock.ms,
    onState: () => undefined,
    onCurrent: (askedAtMs) => current.push(askedAtMs),
  })
  t.after(() => watch.stop())
  await watch.start({
    gateways: async () => (problem === undefined ? undefined : Promise.reject(problem)),
  })
  assert.deepEqual(current, [7])
  problem = new Error('away')
  await assert.rejects(watch.check(), /away/)
  assert.deepEqual(current, [7])
})

test('A reload that fails is repeated', async (t) => {
  const { watch, stored, states } = world()
  t.after(() => watch.stop())
  const loaded: number[] = []
  await watch.start({
    buckets: async (revision) => {
      if (revision === 1 && states.length === 0) throw new Error('lost')
      loaded.push(revision)
    },
  })
  stored.set('buckets', 1)
  await assert.rejects(watch.check(), /lost/)
  await watch.check()
  assert.deepEqual(loaded, [0, 1])
})

test('A change during a check is not missed', async (t) => {
  const { watch, stored } = world()
  t.after(() => watch.stop())
  const loaded: number[] = []
  let asked: Promise<void> | undefined
  await watch.start({
    buckets: async (revision) => {
      loaded.push(revision)
      if (revision !== 1) return
      stored.set('buckets', 2)
      asked = watch.check()
    },
  })
  stored.set('buckets', 1)
  await watch.check()
  await asked
  assert.deepEqual(loaded, [0, 1, 2])
})

/** A process that gets the checks of another one. */
async function told() {
  const parts = world()
  parts.clock.ms = 100
  await parts.start()
  const take = (askedAtMs: number, buckets: number, isDoubtful = false) => {
    const numbers = new Map<RevisionName, number>([
      ['access-keys', 3],
      ['buckets', buckets],
    ])
    parts.watch.take({ numbers, askedAtMs, isDoubtful })
  }
  return { ...parts, take }
}

/** Until everything that was taken is in force. */
const taken = () => new Promise((resolve) => setImmediate(resolve))

test('A check of another process is taken instead of a question, from when that process asked', async (t) => {
  const { watch, clock, loads, reads, take } = await told()
  t.after(() => watch.stop())
  clock.ms = 1_050
  take(1_000, 1)
  await taken()
  assert.deepEqual(loads.slice(2), ['buckets 1'])
  assert.equal(watch.ageMs, 50)
  clock.ms = 2_000
  assert.equal(watch.ensureFresh(), undefined)
  assert.equal(reads(), 1)
  clock.ms = 2_001
  await watch.ensureFresh()
  assert.equal(reads(), 2)
})

test('A check of another process that is not newer is ignored', async (t) => {
  const { watch, loads, take } = await told()
  t.after(() => watch.stop())
  take(100, 1)
  take(99, 2)
  await taken()
  assert.equal(loads.length, 2)
  assert.equal(watch.ageMs, 0)
})

test('A check of another process does not count for a check that began later', async (t) => {
  const { watch, stored, clock, loads, take } = await told()
  t.after(() => watch.stop())
  clock.ms = 200
  take(150, 1)
  stored.set('buckets', 2)
  await watch.check()
  assert.deepEqual(loads.slice(2), ['buckets 1', 'buckets 2'])
  assert.equal(watch.ageMs, 0)
})

test('Checks that arrive during a check are taken after it, and a doubt among them stays', async (t) => {
  const { watch, clock, loads, reads, take } = await told()
  t.after(() => watch.stop())
  clock.ms = 200
  const checking = watch.check()
  take(150, 7, true)
  clock.ms = 300
  take(250, 8)
  await checking
  assert.deepEqual(loads.slice(2), ['access-keys 3 again', 'buckets 8 again'])
  assert.equal(watch.ageMs, 50)
  assert.equal(reads(), 2)
})

test('A doubt in a check that is too old makes everything load again, and the age does not grow', async (t) => {
  const { watch, loads, take } = await told()
  t.after(() => watch.stop())
  take(50, 0, true)
  await taken()
  assert.deepEqual(loads.slice(2), ['access-keys 3 again', 'buckets 0 again'])
  assert.equal(watch.ageMs, 0)
})

test('Nothing is taken after the end', async () => {
  const { watch, clock, loads, take } = await told()
  watch.stop()
  clock.ms = 300
  take(200, 1)
  await taken()
  assert.equal(loads.length, 2)
})

test('Each reply is passed on before the reload, with the doubt of this process', async (t) => {
  const doubts: boolean[] = []
  let problem: Error | undefined
  const watch = new RevisionWatch({
    revisions: { read: async () => new Map([['gateways', doubts.length]]) },
    everyMs: 2 ** 30,
    now: () => 0,
    onState: () => undefined,
    onRead: ({ isDoubtful }) => doubts.push(isDoubtful),
  })
  t.after(() => watch.stop())
  await watch.start({
    gateways: async () => (problem === undefined ? undefined : Promise.reject(problem)),
  })
  await watch.check()
  problem = new Error('away')
  await assert.rejects(watch.check(), /away/)
  await assert.rejects(watch.check(), /away/)
  problem = undefined
  await watch.check()
  await watch.check()
  assert.deepEqual(doubts, [true, false, false, true, true, false])
})

test('The database is asked again when the last check, own or taken, has reached the interval', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const clock = { ms: 0 }
  const askedAtMs: number[] = []
  const watch = new RevisionWatch({
    revisions: {
      async read() {
        askedAtMs.push(clock.ms)
        return new Map()
      },
    },
    now: () => clock.ms,
    onState: () => undefined,
  })
  t.after(() => watch.stop())
  await watch.start({})
  const pass = async (ms: number) => {
    clock.ms += ms
    t.mock.timers.tick(ms)
    await taken()
  }
  await pass(899)
  await pass(1)
  watch.take({ numbers: new Map(), askedAtMs: 1_000, isDoubtful: false })
  clock.ms = 1_000
  await taken()
  await pass(899)
  assert.deepEqual(askedAtMs, [0, 900])
  await pass(1)
  assert.deepEqual(askedAtMs, [0, 900, 1_900])
})

for (let turns = 0; turns < 8; turns++) {
  test(`A check that begins ${turns} turns after the beginning of another one asks again`, async (t) => {
    let reads = 0
    const watch = new RevisionWatch({
      revisions: {
        async read() {
          reads += 1
          return new Map()
        },
      },
      everyMs: 2 ** 30,
      now: () => 0,
      onState: () => undefined,
    })
    t.after(() => watch.stop())
    await watch.start({})
    void watch.check()
    for (let turn = 0; turn < turns; turn++) await undefined
    const before = reads
    await watch.check()
    assert.equal(reads, before + 1)
  })
}
