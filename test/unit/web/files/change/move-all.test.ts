import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ClashAnswer, ClashAnswers } from '../../../../../web/src/files/change/clash-names.ts'
import { moveAll } from '../../../../../web/src/files/change/move-all.ts'
import { moveTo, type PutMode } from '../../../../../web/src/files/change/move-plan.ts'
import {
  CopiedFiles,
  type MoveClash,
  type MoveClient,
} from '../../../../../web/src/files/change/move-tree.ts'
import type { Entry, FileEntry } from '../../../../../web/src/files/entries/entry.ts'

class Clash extends Error {}

function file(key: string, etag: string): FileEntry {
  return { kind: 'file', key, name: key, size: etag.length, modifiedAtMs: 5, etag }
}

/** A bucket in memory that records questions and reports while its objects move. */
function bucketOf(
  content: Readonly<Record<string, string>>,
  answer: ClashAnswer | ClashAnswers,
  mode: PutMode = 'move',
) {
  const objects = new Map(Object.entries(content))
  const entryOf = (key: string): FileEntry => file(key, objects.get(key) ?? '')
  const client: MoveClient = {
    async listTree(_bucket, prefix) {
      const keys = [...objects.keys()].filter((key) => key.startsWith(prefix))
      return { entries: keys.map(entryOf), keys, continuationToken: undefined }
    },
    async copy({ key, etag }, target, replaces) {
      if (objects.get(key) !== etag || objects.get(target.key) !== replaces) throw new Clash()
      objects.set(target.key, etag)
      return etag
    },
    async remove(_bucket, doomed) {
      for (const { key } of doomed) objects.delete(key)
      return []
    },
    find: async ({ key }) => (objects.has(key) ? entryOf(key) : undefined),
    isClash: (error) => error instanceof Clash,
    reasonOf: () => undefined,
  }
  const asked: MoveClash[] = []
  const problems: string[] = []
  const whole: string[] = []
  const moved: (readonly string[])[] = []
  const run = (...entries: readonly Entry[]) =>
    moveAll(
      entries.map((entry) => moveTo(entry, 'b', { bucket: 'b', prefix: 'to/' })),
      {
        client,
        copies: new CopiedFiles(100),
        mode,
        report: {
          signal: new AbortController().signal,
          progress: () => undefined,
          problem: (text) => problems.push(text),
        },
        total: undefined,
        ask: async (clashes) => {
          asked.push(...clashes)
          return typeof answer === 'function' ? answer : () => answer
        },
        freeKeys: async (_bucket, keys) => new Map(keys.map((key) => [key, `${key} (2)`])),
        onMoved: ({ file: { key }, target, etag }) => void moved.push([key, target.key, etag]),
        onWhole: async ({ to }) => void whole.push(to),
      },
    )
  return { objects, entryOf, asked, problems, whole, moved, run }
}

const folder = { kind: 'folder', key: 'trip/', name: 'trip' } as const

describe('moveAll', () => {
  test('asks once after everything else is moved, with both files of each conflict', async () => {
    const bucket = bucketOf(
      { a: 'new a', b: 'new b', 'trip/c': 'new c', 'to/a': 'old', 'to/trip/c': 'older' },
      'skip',
    )
    const outcome = await bucket.run(bucket.entryOf('a'), bucket.entryOf('b'), folder)
    assert.deepEqual(
      bucket.asked.map(({ file: { key, size }, target, there }) => [
        ...[key, size, target.key, there.size],
      ]),
      [
        ['a', 5, 'to/a', 3],
        ['trip/c', 5, 'to/trip/c', 5],
      ],
    )
    assert.equal(outcome, '1 moved, 2 not moved.')
    assert.deepEqual(bucket.whole, ['to/b'])
    assert.equal(bucket.objects.get('to/a'), 'old')
    assert.equal(bucket.objects.get('a'), 'new a')
    assert.equal(bucket.problems.length, 2)
  })

  test('Replace overwrites the other file', async () => {
    const bucket = bucketOf({ a: 'new', 'trip/c': 'c', 'to/a': 'old', 'to/trip/c': 'o' }, 'replace')
    assert.equal(await bucket.run(bucket.entryOf('a'), folder), '2 moved.')
    assert.deepEqual(
      [...bucket.objects],
      [
        ['to/a', 'new'],
        ['to/trip/c', 'c'],
      ],
    )
    assert.deepEqual(bucket.whole, ['to/a', 'to/trip/'])
  })

  test('Replace spares what came while the question stood', async () => {
    const bucket = bucketOf({ a: 'new', 'to/a': 'old' }, () => {
      bucket.objects.set('to/a', 'newest')
      return 'replace'
    })
    assert.equal(await bucket.run(bucket.entryOf('a')), '0 moved, 1 not moved.')
    assert.deepEqual([...bucket.objects.values()], ['new', 'newest'])
    assert.match(bucket.problems[0] ?? '', /written in the meantime/)
  })

  test('Keep both moves the file to a free name', async () => {
    const bucket = bucketOf({ a: 'new', 'to/a': 'old' }, 'keep-both')
    assert.equal(await bucket.run(bucket.entryOf('a')), '1 moved.')
    assert.deepEqual(
      [...bucket.objects],
      [
        ['to/a', 'old'],
        ['to/a (2)', 'new'],
      ],
    )
    assert.deepEqual(bucket.whole, ['to/a (2)'])
  })

  test('each conflict has its own answer', async () => {
    const bucket = bucketOf(
      { a: 'new', b: 'new', c: 'new', 'to/a': 'old', 'to/b': 'old', 'to/c': 'old' },
      (key) => (key === 'to/a' ? 'replace' : key === 'to/b' ? 'keep-both' : 'skip'),
    )
    const outcome = await bucket.run(...['a', 'b', 'c'].map(bucket.entryOf))
    assert.equal(outcome, '2 moved, 1 not moved.')
    assert.deepEqual(Object.fromEntries(bucket.objects), {
      ...{ c: 'new', 'to/a': 'new', 'to/b': 'old', 'to/b (2)': 'new', 'to/c': 'old' },
    })
    assert.deepEqual(bucket.moved, [
      ['a', 'to/a', 'new'],
      ['b', 'to/b (2)', 'new'],
    ])
  })

  test('a copy leaves its sources', async () => {
    const bucket = bucketOf({ a: 'a', 'trip/c': 'c' }, 'skip', 'copy')
    assert.equal(await bucket.run(bucket.entryOf('a'), folder), '2 copied.')
    assert.deepEqual([...bucket.objects.keys()], ['a', 'trip/c', 'to/a', 'to/trip/c'])
  })

  test('a file that changed since it was listed is not a conflict', async () => {
    const bucket = bucketOf({ a: 'changed' }, 'replace')
    assert.equal(await bucket.run(file('a', 'listed')), '0 moved, 1 not moved.')
    assert.deepEqual(bucket.asked, [])
    assert.match(bucket.problems[0] ?? '', /changed since it was listed/)
  })
})
