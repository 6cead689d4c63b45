import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { moveTo, renameTo } from '../../../../../web/src/files/change/move-plan.ts'
import {
  CopiedFiles,
  type MoveClash,
  type MoveClient,
  type MovedFile,
  moveTree,
} from '../../../../../web/src/files/change/move-tree.ts'
import type { FileEntry } from '../../../../../web/src/files/entries/entry.ts'

class Clash extends Error {}

/** A bucket in memory; `before` is called before each copy. */
function bucketOf(keys: readonly string[], before: (key: string) => void = () => undefined) {
  const objects = new Map(keys.map((key) => [key, `etag of ${key}`]))
  const client: MoveClient = {
    async listTree(_bucket, prefix, token = '') {
      const found = [...objects.keys()]
        .sort()
        .filter((key) => key.startsWith(prefix) && key > token)
      const page = found.slice(0, 3)
      return {
        entries: page.map(fileOf),
        keys: page,
        continuationToken: found.length > 3 ? page.at(-1) : undefined,
      }
    },
    async copy(source, target, replaces) {
      before(source.key)
      const isTaken = objects.get(target.key) !== replaces
      if (isTaken || objects.get(source.key) !== source.etag) throw new Clash()
      objects.set(target.key, source.etag)
      return source.etag
    },
    async remove(_bucket, doomed) {
      return doomed.flatMap(({ key, etag }) => {
        if (objects.get(key) !== etag)
          return [{ key, code: 'PreconditionFailed', message: 'changed' }]
        objects.delete(key)
        return []
      })
    },
    find: async ({ key }) => (objects.has(key) ? fileOf(key) : undefined),
    isClash: (error) => error instanceof Clash,
    reasonOf: () => undefined,
  }
  const fileOf = (key: string): FileEntry => ({
    ...{ kind: 'file', key, name: key, size: 1, modifiedAtMs: 0, etag: objects.get(key) ?? '' },
  })
  return { client, objects, fileOf }
}

function reportOf(signal = new AbortController().signal) {
  const moved: string[] = []
  const kept: [string, string][] = []
  const report = {
    signal,
    onMoved: ({ file }: MovedFile) => moved.push(file.key),
    onSkipped: (key: string, reason: string) => kept.push([key, reason]),
    onClash: ({ file }: MoveClash) => kept.push([file.key, 'taken']),
  }
  return { report, moved, kept, copies: new CopiedFiles(100) }
}

const folder = { kind: 'folder', key: 'old/', name: 'old' } as const
const toNew = renameTo(folder, 'b', 'new')
const tree = ['old/', 'old/a', 'old/b', 'old/c/d', 'old/e', 'older']

describe('moveTree', () => {
  test('moves everything below the prefix, over all pages, and nothing else', async () => {
    const { client, objects } = bucketOf(tree)
    const { report, moved, kept, copies } = reportOf()
    await moveTree(toNew, { client, copies, report })
    assert.deepEqual([...objects.keys()].sort(), [
      'new/',
      'new/a',
      'new/b',
      'new/c/d',
      'new/e',
      'older',
    ])
    assert.equal(moved.length, 5)
    assert.deepEqual(kept, [])
  })

  test('moves a single file', async () => {
    const { client, objects, fileOf } = bucketOf(['a.txt'])
    const { report, moved, copies } = reportOf()
    const file = fileOf('a.txt')
    await moveTree(moveTo(file, 'b', { bucket: 'b', prefix: 'x/' }), { client, copies, report })
    assert.deepEqual([...objects.keys()], ['x/a.txt'])
    assert.deepEqual(moved, ['a.txt'])
  })

  test('does not move files whose names exist at the target', async () => {
    const { client, objects } = bucketOf([...tree, 'new/b'])
    const { report, kept, copies } = reportOf()
    await moveTree(toNew, { client, copies, report })
    assert.deepEqual(kept, [['old/b', 'taken']])
    assert.equal(objects.get('new/b'), 'etag of new/b')
    assert.equal(objects.get('old/b'), 'etag of old/b')
  })

  test('keeps a source that was changed after it was copied', async () => {
    const { client, objects } = bucketOf(tree)
    const rewriting: MoveClient = {
      ...client,
      async copy(source, target, replaces) {
        const etag = await client.copy(source, target, replaces)
        if (source.key === 'old/a') objects.set('old/a', 'newer')
        return etag
      },
    }
    const { report, kept, copies } = reportOf()
    await moveTree(toNew, { client: rewriting, copies, report })
    assert.equal(objects.get('old/a'), 'newer')
    assert.match(kept[0]?.join(' ') ?? '', /old\/a .*copied, but the original was not deleted/)
  })

  test('stops at a failure, finishes started copies and leaves the rest', async () => {
    const { client, objects } = bucketOf(tree, (key) => {
      if (key === 'old/c/d') throw new Error('no line')
    })
    const { report, copies } = reportOf()
    await assert.rejects(moveTree(toNew, { client, copies, report }), /no line/)
    for (const name of ['', 'a', 'b', 'c/d', 'e']) {
      const isOld = objects.has(`old/${name}`)
      assert.notEqual(isOld, objects.has(`new/${name}`), name)
    }
    assert.ok(objects.has('old/c/d'))
  })

  test('when stopped, finishes what it started and leaves no object in both folders', async () => {
    const stop = new AbortController()
    const { client, objects } = bucketOf(tree, (key) => {
      if (key === 'old/a') stop.abort()
    })
    const { report, moved, copies } = reportOf(stop.signal)
    await moveTree(toNew, { client, copies, report })
    assert.ok(moved.length > 0 && moved.length < 5)
    for (const key of moved) assert.equal(objects.has(key), false)
    assert.equal(objects.size, tree.length)
  })

  test('when repeated, goes on with the copies that it has made', async () => {
    const { client, objects } = bucketOf(tree)
    let isAway = true
    const failing: MoveClient = {
      ...client,
      async remove(bucket, doomed) {
        if (isAway) throw new Error('no line')
        return client.remove(bucket, doomed)
      },
    }
    const { report, moved, kept, copies } = reportOf()
    await assert.rejects(moveTree(toNew, { client: failing, copies, report }), /no line/)
    // Somebody else's file: it is not taken for the copy.
    objects.set('new/b', 'of another')
    isAway = false
    await moveTree(toNew, { client: failing, copies, report })
    assert.deepEqual(kept, [['old/b', 'taken']])
    assert.deepEqual(moved.sort(), ['old/', 'old/a', 'old/c/d', 'old/e'])
    assert.equal(objects.get('new/b'), 'of another')
    assert.ok(objects.has('old/b'))
  })
})
