import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { compareKeys } from '../../../../../src/platform/text/key-order.ts'
import {
  findClashes,
  freeKeys,
  type ListKeysAfter,
} from '../../../../../web/src/files/change/find-clashes.ts'

/** A bucket that lists pages of `pageSize` and records the requests. */
function bucketOf(existing: readonly string[], pageSize = 1_000) {
  const sorted = [...new Set(existing)].sort(compareKeys)
  const asked: string[] = []
  const list: ListKeysAfter = async (startAfter) => {
    asked.push(startAfter)
    const rest = sorted.filter((key) => compareKeys(key, startAfter) > 0)
    return { keys: rest.slice(0, pageSize), isLast: rest.length <= pageSize }
  }
  return { list, asked }
}

describe('findClashes', () => {
  const anyKey = fc.string({ minLength: 1, maxLength: 4, unit: 'binary' })

  test('finds exactly the existing keys for every page size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyKey),
        fc.array(anyKey),
        fc.integer({ min: 1, max: 4 }),
        async (wanted, existing, pageSize) => {
          const found = await findClashes(wanted, bucketOf(existing, pageSize).list)
          const expected = new Set(wanted.filter((key) => existing.includes(key)))
          assert.deepEqual(new Set(found.keys()), expected)
        },
      ),
    )
  })

  test('sends one request for an empty folder', async () => {
    const { list, asked } = bucketOf([])
    const wanted = Array.from({ length: 5_000 }, (_, index) => `new/${index}.txt`)
    assert.equal((await findClashes(wanted, list)).size, 0)
    assert.equal(asked.length, 1)
  })

  test('skips pages that contain none of the keys', async () => {
    const existing = Array.from({ length: 50_000 }, (_, index) => `m/${index}.txt`)
    const { list, asked } = bucketOf(['a.txt', ...existing, 'z.txt'])
    const found = await findClashes(['a.txt', 'z.txt'], list)
    assert.deepEqual([...found.keys()], ['a.txt', 'z.txt'])
    assert.equal(asked.length, 2)
  })

  test('sends no request without keys', async () => {
    const { list, asked } = bucketOf(['a'])
    assert.equal((await findClashes([], list)).size, 0)
    assert.equal(asked.length, 0)
  })
})

describe('freeKeys', () => {
  test('takes the first free number', async () => {
    const { list } = bucketOf(['a/b.txt', 'a/b (2).txt', 'a/b (3).txt', 'c'])
    const free = await freeKeys(['a/b.txt', 'c'], list, () => false)
    assert.deepEqual(
      free,
      new Map([
        ['c', 'c (2)'],
        ['a/b.txt', 'a/b (4).txt'],
      ]),
    )
  })

  test('returns each key once and no reserved key', async () => {
    const { list } = bucketOf(['a.txt'])
    const free = await freeKeys(['a.txt'], list, (key) => key === 'a (2).txt')
    assert.equal(free.get('a.txt'), 'a (3).txt')
  })
})
