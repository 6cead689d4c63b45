import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { KeyValueStore } from '../../src/platform/state/key-value/key-value.ts'

const minute = { ttlMs: 60_000, maxFamily: 100 }

/** Two stores on the same data, as in two processes. */
export interface StorePair {
  readonly one: KeyValueStore
  readonly other: KeyValueStore
  close(): Promise<void>
}

/** The contract of every KeyValueStore. `open` returns a pair on new, empty data each time. */
export function describeKeyValueStore(name: string, open: () => Promise<StorePair>) {
  describe(`${name} key-value store`, () => {
    let pair: StorePair
    before(async () => {
      pair = await open()
    })
    after(() => pair.close())

    describeValues(() => pair)
    describeFamilies(() => pair)
    describeCounters(() => pair)
  })
}

function describeValues(pair: () => StorePair) {
  test('get returns undefined for a key that was never set', async () => {
    assert.equal(await pair().one.get('a:absent'), undefined)
  })

  test('set is seen by another process, and so is its replacement', async () => {
    await pair().one.set('a:key', 'first é', minute)
    assert.equal(await pair().other.get('a:key'), 'first é')
    await pair().other.set('a:key', 'second', minute)
    assert.equal(await pair().one.get('a:key'), 'second')
  })

  test('delete removes one key, and accepts a missing one', async () => {
    await pair().one.set('a:gone', 'x', minute)
    await pair().one.set('a:kept', 'y', minute)
    await pair().other.delete('a:gone')
    await pair().other.delete('a:gone')
    assert.equal(await pair().one.get('a:gone'), undefined)
    assert.equal(await pair().one.get('a:kept'), 'y')
  })

  test('a value expires on time, swept or not', async () => {
    await pair().one.set('a:short', 'x', { ttlMs: 50, maxFamily: 100 })
    await until(async () => (await pair().other.get('a:short')) === undefined)
    await pair().one.sweep()
    assert.equal(await pair().one.get('a:short'), undefined)
    assert.equal(await pair().one.get('a:kept'), 'y')
  })

  test('set renews a key that has expired', async () => {
    await pair().one.set('a:again', 'x', { ttlMs: 20, maxFamily: 100 })
    await until(async () => (await pair().one.get('a:again')) === undefined)
    await pair().one.set('a:again', 'y', minute)
    assert.equal(await pair().other.get('a:again'), 'y')
  })
}

function describeFamilies(pair: () => StorePair) {
  const three = { ttlMs: 60_000, maxFamily: 3 }
  const present = async (keys: readonly string[]) => {
    const values = await Promise.all(keys.map((key) => pair().one.get(key)))
    return keys.filter((_, index) => values[index] !== undefined)
  }

  test('set keeps the newest keys of a family and leaves other families alone', async () => {
    const keys = ['f:1', 'f:2', 'f:3', 'f:4', 'f:5']
    await pair().one.set('other:1', 'x', three)
    for (const key of keys) {
      await pair().one.set(key, key, three)
      // Later values expire later; within one millisecond, neither is older.
      await nextMillisecond()
    }
    assert.deepEqual(await present(keys), ['f:3', 'f:4', 'f:5'])
    assert.equal(await pair().one.get('other:1'), 'x')
  })

  test('set counts a replaced key once, and a deleted one not at all', async () => {
    for (const key of ['g:1', 'g:2', 'g:3', 'g:3', 'g:3']) {
      await pair().one.set(key, key, three)
      await nextMillisecond()
    }
    await pair().other.delete('g:2')
    await pair().one.set('g:4', 'x', three)
    assert.deepEqual(await present(['g:1', 'g:2', 'g:3', 'g:4']), ['g:1', 'g:3', 'g:4'])
  })

  test('concurrent calls of set keep no more than the limit, and the latest keys', async () => {
    const keys = Array.from({ length: 20 }, (_, index) => `h:${index}`)
    await Promise.all(
      keys.map((key, index) => (index % 2 === 0 ? pair().one : pair().other).set(key, '', three)),
    )
    await nextMillisecond()
    await pair().one.set('h:last', '', three)
    const left = await present([...keys, 'h:last'])
    assert.equal(left.length, 3)
    assert.ok(left.includes('h:last'))
  })
}

function describeCounters(pair: () => StorePair) {
  test('increment counts from one and returns the time to live', async () => {
    const options = { ttlMs: 60_000, renewUpTo: 5 }
    const first = await pair().one.increment('c:from-one', options)
    assert.equal(first.count, 1)
    assert.ok(first.ttlMs > 50_000 && first.ttlMs <= 60_000, String(first.ttlMs))
    assert.equal((await pair().other.increment('c:from-one', options)).count, 2)
  })

  test('concurrent increments of two processes are all counted once', async () => {
    const options = { ttlMs: 60_000, renewUpTo: 5 }
    const counters = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? pair().one : pair().other).increment('c:race', options),
      ),
    )
    assert.deepEqual(
      counters.map(({ count }) => count).sort((a, b) => a - b),
      Array.from({ length: 40 }, (_, index) => index + 1),
    )
  })

  test('increment extends the time to live up to renewUpTo, and not beyond', async () => {
    const long = { ttlMs: 600_000, renewUpTo: 2 }
    const short = { ttlMs: 60_000, renewUpTo: 2 }
    await pair().one.increment('c:renew', short)
    const renewed = await pair().one.increment('c:renew', long)
    assert.ok(renewed.ttlMs > 500_000)
    const third = await pair().one.increment('c:renew', short)
    assert.equal(third.count, 3)
    assert.ok(third.ttlMs > 500_000)
  })

  test('increment starts at one again when the counter was deleted or has expired', async () => {
    const options = { ttlMs: 60_000, renewUpTo: 5 }
    await pair().one.increment('c:again', options)
    await pair().one.delete('c:again')
    const { count } = await pair().other.increment('c:again', { ttlMs: 200, renewUpTo: 1 })
    assert.equal(count, 1)
    let last = count
    await until(async () => {
      const counter = await pair().one.increment('c:again', { ttlMs: 200, renewUpTo: 1 })
      const hasBegunAgain = counter.count < last
      last = counter.count
      return hasBegunAgain
    })
    assert.equal(last, 1)
  })
}

async function until(isReached: () => Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 10_000
  while (!(await isReached())) {
    assert.ok(Date.now() < giveUpAt, 'not reached in 10 s')
    await wait(5)
  }
}

async function nextMillisecond(): Promise<void> {
  const now = Date.now()
  while (Date.now() <= now) await wait(1)
}
