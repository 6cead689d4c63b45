import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { isLegalKey } from '../../../src/storage/drives/kit/names/key-path.ts'
import { shareOf } from '../../support/test-groups.ts'
import { type DriveSuite, twoDrives } from './drive-suite.ts'
import {
  assertHolds,
  bucket,
  type Expected,
  getText,
  listAll,
  listKeys,
  put,
  sortedKeys,
} from './stored-object.ts'

/** The same shuffle every time, so that a failure repeats. */
function shuffled<T>(values: readonly T[], seed: number): T[] {
  return values
    .map((value, index) => ({ value, rank: Math.imul(index + seed, 2654435761) >>> 0 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value)
}

function permutations<T>(values: readonly T[]): T[][] {
  if (values.length === 0) return [[]]
  return values.flatMap((value, index) =>
    permutations(values.toSpliced(index, 1)).map((rest) => [value, ...rest]),
  )
}

export function keyCases(suite: DriveSuite): void {
  const { hostileKeys, sampledKeys } = suite
  describe('every legal key', () => {
    suite.it('is a separate object beside all the others', async ({ drive, byHand }) => {
      assert.deepEqual(
        hostileKeys.filter((key) => !isLegalKey(key)),
        [],
      )
      for (const key of shuffled(hostileKeys, 1)) await put(drive, key, `is ${key}`)
      await assertHolds(drive, Object.fromEntries(hostileKeys.map((key) => [key, `is ${key}`])))

      for (const key of shuffled(hostileKeys, 2)) await put(drive, key, `again ${key}`)
      const rest = new Map(hostileKeys.map((key) => [key, `again ${key}`]))
      await assertHolds(drive, Object.fromEntries(rest))

      const doomed = shuffled(hostileKeys, 3)
      for (const key of doomed.splice(0, doomed.length / 2)) {
        assert.equal((await drive.remove(bucket, key)) !== undefined, true, key)
        rest.delete(key)
      }
      await assertHolds(drive, Object.fromEntries(rest))
      for (const key of doomed)
        assert.equal((await drive.remove(bucket, key)) !== undefined, true, key)
      assert.deepEqual(await listKeys(drive), [])
      await suite.assertEmpty(drive)
      assert.deepEqual((await byHand?.list()) ?? [], [])
    })

    suite.it('works alone, and its folders are removed with it', async ({ drive, byHand }) => {
      for (const key of sampledKeys) {
        await put(drive, key, key)
        assert.deepEqual(await listKeys(drive), [key])
        assert.deepEqual(await listKeys(drive, { prefix: key }), [key])
        assert.deepEqual(await listKeys(drive, { after: key }), [])
        assert.equal(await getText(drive, key), key)
        assert.equal((await drive.remove(bucket, key)) !== undefined, true)
        assert.equal(await drive.head(bucket, key), undefined)
        assert.deepEqual((await byHand?.list()) ?? [], [], key)
      }
      await suite.assertEmpty(drive)
    })

    suite.it('lists after any other', async ({ drive }) => {
      const keys = sortedKeys(sampledKeys)
      for (const key of keys) await put(drive, key, '')
      for (const [index, after] of keys.entries()) {
        const cursor = drive.list(bucket, { prefix: '', after })
        const entries = await cursor.next(3)
        const expected = keys.slice(index + 1, index + 1 + entries.length)
        assert.deepEqual(
          entries.map((entry) => entry.key),
          expected,
        )
        assert.ok(entries.length > 0 || index === keys.length - 1)
      }
    })
  })

  describe('a key beside a folder of the same name', () => {
    const family = ['a', 'a/', 'a/b', 'a/b/c']

    suite.itIfAble('anyKeys', 'may be created and removed in any order', async ({ drive }) => {
      for (const [index, order] of shareOf(permutations(family), 3).entries()) {
        let expected: Expected = {}
        for (const key of order) {
          await put(drive, key, `${key} ${index}`)
          expected = { ...expected, [key]: `${key} ${index}` }
          await assertHolds(drive, expected)
        }
        for (const key of shuffled(order, index)) {
          assert.equal((await drive.remove(bucket, key)) !== undefined, true)
          const { [key]: _, ...rest } = expected
          expected = rest
          await assertHolds(drive, expected)
        }
      }
    })

    suite.itIfAble(
      'anyKeys',
      'survives being overwritten while the folder comes and goes',
      async ({ drive }) => {
        await put(drive, 'a', 'one')
        await put(drive, 'a/b', 'below')
        await put(drive, 'a', 'two')
        await assertHolds(drive, { a: 'two', 'a/b': 'below' })
        await drive.remove(bucket, 'a/b')
        await assertHolds(drive, { a: 'two' })
        await put(drive, 'a', 'three')
        await assertHolds(drive, { a: 'three' })
        await put(drive, 'a/b', 'again')
        await assertHolds(drive, { a: 'three', 'a/b': 'again' })
        await drive.remove(bucket, 'a')
        await assertHolds(drive, { 'a/b': 'again' })
      },
    )

    suite.itIfAble(
      'anyKeys',
      'stays readable while the folder is created and removed',
      async (under) => {
        const [one, other] = await twoDrives(under)
        await put(one, 'a', 'stays')
        let isDone = false
        const churn = async () => {
          for (let round = 0; round < suite.tries(40); round++) {
            await put(other, 'a/b/c', 'x')
            await other.remove(bucket, 'a/b/c')
          }
          isDone = true
        }
        const watch = async () => {
          while (!isDone) {
            // Calls that the kernel answers from memory never yield: the writer needs a turn.
            await setImmediate()
            assert.equal(await getText(one, 'a'), 'stays')
            assert.ok(await one.head(bucket, 'a'))
            assert.ok((await listAll(one)).some((entry) => entry.key === 'a'))
          }
        }
        await Promise.all([churn(), watch()])
        await assertHolds(one, { a: 'stays' })
      },
    )

    suite.itIfAble('anyKeys', 'and the keys below can all be written at once', async (under) => {
      const drives = await twoDrives(under)
      for (let round = 0; round < suite.tries(20); round++) {
        await Promise.all(
          [...family, 'a/b/c/d'].map((key, index) => put(drives[index & 1 ? 1 : 0], key, key)),
        )
        const all = { a: 'a', 'a/': 'a/', 'a/b': 'a/b', 'a/b/c': 'a/b/c', 'a/b/c/d': 'a/b/c/d' }
        await assertHolds(drives[0], all)
        await Promise.all(
          Object.keys(all).map((key, index) => drives[index & 1 ? 0 : 1].remove(bucket, key)),
        )
        await suite.assertEmpty(drives[1])
      }
    })
  })
}
