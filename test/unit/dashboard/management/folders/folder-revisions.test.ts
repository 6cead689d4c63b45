import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FolderRevisions } from '../../../../../src/dashboard/management/folders/folder-revisions.ts'
import { revisionOf } from '../../../../../src/platform/text/revision-sum.ts'
import type { Entry } from '../../../../../src/storage/drives/listed-entry.ts'
import type { Entry as ShownEntry } from '../../../../../web/src/files/entries/entry.ts'
import { openManagement, put } from '../management-fixture.ts'

/** A drive of one folder, which counts how often it was listed. */
function listed(entries: () => readonly Entry[], tookMs = () => 0) {
  let count = 0
  let nowMs = 1_000
  const revisions = new FolderRevisions({
    now: () => nowMs,
    drive: {
      list: () => {
        count += 1
        nowMs += tookMs()
        let rest = [...entries()]
        return {
          seek: () => undefined,
          async next(limit) {
            const page = rest.slice(0, limit)
            rest = rest.slice(limit)
            return page
          },
        }
      },
    },
  })
  const folder = { bucket: 'b', prefix: 'p/', filter: '' }
  return {
    read: async (changes: Partial<typeof folder> = {}) => {
      const { revision } = await revisions.read({ ...folder, ...changes })
      return revision
    },
    pass: (ms: number) => {
      nowMs += ms
    },
    count: () => count,
  }
}

const file = { kind: 'object', key: 'p/a', size: 1, modifiedAtMs: 5_400, etag: 'e' } as const

test('the dashboard and the service compute the same revision for the same folder', async () => {
  const entry = fc.oneof(
    fc.record({
      kind: fc.constant('object' as const),
      key: fc.string({ unit: 'grapheme', minLength: 1 }).map((name) => `p/${name}`),
      size: fc.nat(),
      modifiedAtMs: fc.integer({ min: 0, max: 4_000_000_000_000 }),
      etag: fc.string(),
    }),
    fc.record({ kind: fc.constant('folder' as const), key: fc.string().map((n) => `p/${n}/`) }),
  )
  const property = fc.asyncProperty(fc.array(entry), async (entries) => {
    const shown = entries.map((one): ShownEntry => {
      const name = one.key.slice(2)
      if (one.kind === 'folder') return { kind: 'folder', key: one.key, name }
      // A listing has whole seconds.
      const modifiedAtMs = Math.floor(one.modifiedAtMs / 1_000) * 1_000
      return { ...one, kind: 'file', name, modifiedAtMs }
    })
    const marker = { ...file, key: 'p/' }
    assert.equal(await listed(() => [marker, ...entries]).read(), revisionOf(shown.reverse()))
  })
  await fc.assert(property, { numRuns: 200 })
})

test('any change of a folder changes its revision', async () => {
  const same = await listed(() => [file]).read()
  assert.equal(await listed(() => [{ ...file, modifiedAtMs: 5_900 }]).read(), same)
  const others: readonly (readonly Entry[])[] = [
    [],
    [{ ...file, key: 'p/b' }],
    [{ ...file, size: 2 }],
    [{ ...file, modifiedAtMs: 6_000 }],
    [{ ...file, etag: 'f' }],
    [file, { kind: 'folder', key: 'p/c/' }],
  ]
  for (const other of others) assert.notEqual(await listed(() => other).read(), same)
})

test('concurrent and soon repeated requests share one listing of the drive', async () => {
  const { read, pass, count } = listed(() => [file])
  await Promise.all([read(), read(), read()])
  pass(1_999)
  await read()
  assert.equal(count(), 1)
  await read({ filter: 'a' })
  assert.equal(count(), 2)
  pass(2)
  await read()
  assert.equal(count(), 3)
})

test('a folder that takes long to list is listed for a twentieth of the time at most', async () => {
  const { read, pass, count } = listed(
    () => [file],
    () => 10_000,
  )
  for (let asked = 0; asked < 100; asked += 1) {
    await read()
    pass(4_000)
  }
  // 400 s passed: one listing every 210 s.
  assert.equal(count(), 2)
})

test('a failed listing is repeated only after a while', async () => {
  let isBroken = true
  const { read, pass, count } = listed(() => {
    if (isBroken) throw new Error('no disk')
    return [file]
  })
  await assert.rejects(read())
  await assert.rejects(read())
  assert.equal(count(), 1)
  isBroken = false
  pass(2_001)
  await read()
})

test('a drive that failed after a long wait is asked again soon', async () => {
  let tookMs = 15_000
  const { read, pass } = listed(
    () => {
      if (tookMs > 0) throw new Error('no answer')
      return [file]
    },
    () => tookMs,
  )
  await assert.rejects(read(), /no answer/)
  tookMs = 0
  pass(2_001)
  await read()
})

test('GET /folder-revision returns the revision and its age for an allowed bucket', async (t) => {
  const { send, drive } = await openManagement(t)
  await put(drive, 'tree/a')
  const path = '/folder-revision?bucket=files&prefix=tree/'
  const first = await send('GET', path)
  assert.equal(first.status, 200)
  assert.match(first.body.revision, /^1-[0-9a-f]{16}$/)
  assert.equal(first.body.ageMs, 0)
  const again = await send('GET', path)
  assert.deepEqual([again.body.revision, again.body.ageMs > 0], [first.body.revision, true])
  const other = await send('GET', '/folder-revision?bucket=secret')
  assert.deepEqual([other.status, other.body.field], [400, 'bucket'])
})
