import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BucketUsage, type CountedBytes } from '../../../../src/storage/buckets/bucket-usage.ts'

function open() {
  const clock = { nowMs: 1_000_000 }
  const counts = new Map<string, CountedBytes>()
  const parts = new Map<string, number>()
  const state = { reads: [] as string[][], isDown: false, failures: 0 }
  const usage = new BucketUsage({
    async read(buckets) {
      state.reads.push([...buckets])
      if (state.isDown) throw new Error('down')
      return new Map([...counts].filter(([bucket]) => buckets.includes(bucket)))
    },
    readOpenParts: async () => new Map(parts),
    now: () => clock.nowMs,
    onFailure: () => {
      state.failures += 1
    },
  })
  /** Every limit is exceeded: the figures are what it is compared with. */
  const used = async (buckets: string[]) => {
    const { stored, pending } =
      (await usage.reserve('none', 0, [{ buckets, bytes: -1 }])) ?? assert.fail('no limit')
    return { stored, pending }
  }
  const stored = async (buckets: string[]) => (await used(buckets)).stored
  const pending = async (buckets: string[]) => (await used(buckets)).pending
  return { clock, counts, parts, state, usage, stored, pending }
}

test('what this process has written since the count is added', async () => {
  const { clock, counts, usage, stored, state } = open()
  counts.set('a', { bytes: 100, countedAtMs: clock.nowMs - 60_000 })
  assert.equal(await stored(['a']), 100)
  usage.wrote('a', 5)
  clock.nowMs += 2_000
  usage.wrote('a', 7)
  usage.wrote('other', 1_000)
  assert.equal(await stored(['a']), 112)
  assert.deepEqual(state.reads, [['a']])
})

test('a newer count replaces what was written before it began', async () => {
  const { clock, counts, usage, stored } = open()
  counts.set('a', { bytes: 100, countedAtMs: clock.nowMs - 60_000 })
  await stored(['a'])
  usage.wrote('a', 5)
  clock.nowMs += 20_000
  usage.wrote('a', 7)
  counts.set('a', { bytes: 105, countedAtMs: clock.nowMs - 5_000 })
  // The count that is known is used while the new one is read.
  await stored(['a'])
  await new Promise(setImmediate)
  assert.equal(await stored(['a']), 112)
})

test('a bucket that was never counted has what was written since', async () => {
  const { clock, counts, usage, stored } = open()
  counts.set('a', { bytes: 100, countedAtMs: 1 })
  assert.equal(await stored(['a', 'b']), 100)
  usage.wrote('b', 7)
  assert.equal(await stored(['a', 'b']), 107)
  clock.nowMs += 5_000
  counts.set('b', { bytes: 8, countedAtMs: clock.nowMs - 1_000 })
  assert.equal(await stored(['a', 'b']), 108)
  assert.equal(await stored([]), 0)
})

test('what is written for days without a count still counts, about as of its time', async () => {
  const { clock, counts, usage, stored } = open()
  await stored(['a'])
  for (let second = 0; second < 200_000; second += 1) {
    usage.wrote('a', 1)
    clock.nowMs += 1_000
  }
  counts.set('a', { bytes: 150_000, countedAtMs: clock.nowMs - 40_000_000 })
  await stored(['a'])
  await new Promise(setImmediate)
  const excess = (await stored(['a'])) - 150_000 - 40_000
  assert.ok(excess >= 0 && excess < 100, String(excess))
})

test('requests at the same time cannot take the same room', async () => {
  const { usage, stored, pending } = open()
  const limits = [{ buckets: ['a'], bytes: 1_000 }]
  const outcomes = await Promise.all([1, 2, 3, 4, 5].map(() => usage.reserve('a', 400, limits)))
  const admitted = outcomes.filter((exceeded) => exceeded === undefined)
  assert.equal(admitted.length, 2)
  assert.deepEqual(outcomes[4], { limit: limits[0], stored: 0, pending: 800 })
  usage.wrote('a', 400)
  usage.giveBack('a', 400)
  usage.giveBack('a', 400)
  assert.deepEqual([await stored(['a']), await pending(['a'])], [400, 0])
  assert.equal(await usage.reserve('a', 600, limits), undefined)
})

test('a request counts for every limit of its bucket, and takes nothing if one is exceeded', async () => {
  const { usage, pending } = open()
  const quota = { buckets: ['a'], bytes: 1_000 }
  const key = { buckets: ['a', 'b'], bytes: 1_500 }
  assert.equal(await usage.reserve('b', 1_000, [key]), undefined)
  const exceeded = await usage.reserve('a', 600, [quota, key])
  assert.deepEqual(exceeded, { limit: key, stored: 0, pending: 1_000 })
  assert.equal(await pending(['a']), 0)
})

test('parts of open uploads of all processes count', async () => {
  const { clock, parts, usage, pending } = open()
  parts.set('a', 700)
  const limits = [{ buckets: ['a'], bytes: 1_000 }]
  assert.equal((await usage.reserve('a', 301, limits))?.pending, 700)
  usage.addedParts('a', 200)
  assert.equal(await pending(['a']), 900)
  // Another process has added more, and this one's parts are in the database, too.
  parts.set('a', 950)
  clock.nowMs += 5_000
  await pending(['a'])
  await new Promise(setImmediate)
  assert.equal(await pending(['a']), 950)
  usage.addedParts('a', -950)
  assert.equal(await pending(['a']), 0)
  // They do not count for objects that are written without regard to them.
  assert.equal(await usage.exceededBy(1_000, limits), undefined)
  assert.equal((await usage.exceededBy(1_001, limits))?.stored, 0)
})

test('what is known to be in an upload counts before the database is read again', async () => {
  const { usage } = open()
  const limits = [{ buckets: ['a'], bytes: 1_000 }]
  assert.equal((await usage.reserve('a', 1, limits, 1_000))?.pending, 1_000)
  assert.equal(await usage.reserve('a', 1, limits, 999), undefined)
})

test('the counts of all buckets of a key are read at once', async () => {
  const { clock, state, stored } = open()
  await stored(['a', 'b', 'c'])
  clock.nowMs += 3_000
  await stored(['d'])
  clock.nowMs += 3_000
  await stored(['a', 'b', 'c', 'd'])
  assert.deepEqual(state.reads, [['a', 'b', 'c'], ['d'], ['a', 'b', 'c']])
})

test('a database that does not respond leaves the figures as they are', async () => {
  const { clock, counts, stored, state } = open()
  state.isDown = true
  assert.equal(await stored(['a']), 0)
  state.isDown = false
  counts.set('a', { bytes: 100, countedAtMs: 1 })
  clock.nowMs += 5_000
  assert.equal(await stored(['a']), 100)
  state.isDown = true
  clock.nowMs += 5_000
  assert.equal(await stored(['a']), 100)
  await new Promise(setImmediate)
  assert.equal(await stored(['a']), 100)
  assert.equal(state.failures, 2)
})

test('a clock that is set back does not keep an old count', async () => {
  const { clock, counts, stored, state } = open()
  counts.set('a', { bytes: 100, countedAtMs: 1 })
  await stored(['a'])
  clock.nowMs -= 500_000
  await stored(['a'])
  assert.equal(state.reads.length, 2)
})
