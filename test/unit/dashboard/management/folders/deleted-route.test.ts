import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openMemoryDrive } from '../../../../../src/storage/drives/memory/memory-drive.ts'
import { openManagement, put } from '../management-fixture.ts'

const path = (prefix: string) => `/deleted?bucket=files&prefix=${encodeURIComponent(prefix)}`

test('GET /deleted lists what a bucket with versions can restore, by folder', async (t) => {
  const drive = openMemoryDrive({ versioningOf: () => ({ changes: [0] }) })
  await drive.prepare(['files'])
  const { send } = await openManagement(t, { drive })
  for (const key of ['a', 'b', 'c/', 'c/1', 'c/2', 'c/d/3', 'e', 'f']) await put(drive, key, 'text')
  await put(drive, 'a', 'longer text')
  for (const key of ['a', 'c/', 'c/1', 'c/d/3', 'e']) await drive.remove('files', key)
  // Without any version, there is nothing to restore; a second marker hides the same version.
  await drive.remove('files', 'none')
  await drive.remove('files', 'a')
  await put(drive, 'e', 'again')

  const { status, body } = await send('GET', path(''))
  assert.equal(status, 200)
  assert.equal(body.next, null)
  const shown = body.entries.map(({ key, objects, bytes }: typeof body) => [key, objects, bytes])
  assert.deepEqual(shown, [
    ['a', 1, 11],
    ['c/', 3, 12],
  ])
  assert.ok(body.entries.every(({ deletedAt }: typeof body) => Date.parse(deletedAt) > 0))
  const below = await send('GET', path('c/'))
  assert.deepEqual(
    below.body.entries.map(({ key }: typeof body) => key),
    ['c/1', 'c/d/'],
  )
  const rest = await send('GET', `${path('')}&after=a`)
  assert.deepEqual(
    rest.body.entries.map(({ key }: typeof body) => key),
    ['c/'],
  )
})

test('GET /deleted continues where a long listing ended', async (t) => {
  const drive = openMemoryDrive({ versioningOf: () => ({ changes: [0] }) })
  await drive.prepare(['files'])
  const { send } = await openManagement(t, { drive })
  const keys = Array.from({ length: 501 }, (_, index) => `key-${1_000 + index}`)
  for (const key of keys) {
    await put(drive, key)
    await drive.remove('files', key)
  }
  const first = await send('GET', path(''))
  assert.equal(first.body.entries.length, 500)
  const second = await send('GET', `${path('')}&after=${first.body.next}`)
  assert.equal(second.body.next, null)
  const found = [...first.body.entries, ...second.body.entries]
  assert.deepEqual(
    found.map(({ key }) => key),
    keys,
  )
})

/** A bucket whose key `a` has 1,200 versions or delete markers, and whose key `b` is deleted. */
async function openDeep(t: TestContext, isMarked: boolean) {
  const drive = openMemoryDrive({ versioningOf: () => ({ changes: [0] }) })
  await drive.prepare(['files'])
  await put(drive, 'a', 'text')
  for (let version = 0; version < 1_200; version++) {
    await (isMarked ? drive.remove('files', 'a') : put(drive, 'a', 'text'))
  }
  await put(drive, 'b', 'text')
  await drive.remove('files', 'b')
  let pages = 0
  const listVersions: typeof drive.listVersions = (...query) => {
    const cursor = drive.listVersions?.(...query) ?? assert.fail()
    return {
      next: (limit) => {
        pages++
        return cursor.next(limit)
      },
      seek: (key) => cursor.seek(key),
    }
  }
  const { send } = await openManagement(t, { drive: { ...drive, listVersions } })
  return { send, pages: () => pages }
}

const keysIn = ({ entries }: { entries: { key: string }[] }) => entries.map(({ key }) => key)

test('GET /deleted reads only the newest versions of an object', async (t) => {
  const { send, pages } = await openDeep(t, false)
  assert.deepEqual(keysIn((await send('GET', path(''))).body), ['b'])
  assert.equal(pages(), 3)
})

test('GET /deleted ends in time in the middle of many delete markers', async (t) => {
  const { send, pages } = await openDeep(t, true)
  assert.deepEqual(keysIn((await send('GET', path(''))).body), ['a', 'b'])
  const before = pages()
  t.mock.method(performance, 'now', () => 5_000 * (pages() - before))
  const { body } = await send('GET', path(''))
  assert.deepEqual([keysIn(body), body.next, pages()], [[], 'a', before + 2])
  t.mock.restoreAll()
  assert.deepEqual(keysIn((await send('GET', `${path('')}&after=a`)).body), ['b'])
})

test('GET /deleted is 400 for an unknown bucket', async (t) => {
  const { send } = await openManagement(t)
  assert.equal((await send('GET', '/deleted?bucket=none')).status, 400)
})
