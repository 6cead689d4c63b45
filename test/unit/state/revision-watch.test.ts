import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RevisionWatch } from '../../../src/state/revision-watch.ts'
import type { RevisionName } from '../../../src/state/stores/revisions.ts'

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
