import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { openMemoryDrive } from '../../../../../src/storage/drives/memory/memory-drive.ts'
import { openManagement, put, until } from '../management-fixture.ts'

interface Entry {
  readonly bucket: string
  readonly key: string
}

const pathsOf = ({ body }: { readonly body: { readonly entries: readonly Entry[] } }) =>
  body.entries.map(({ bucket, key }) => `${bucket}/${key}`).sort()

test('stars follow renames, and what does not exist is left out until it is back', async (t) => {
  const { drive, send } = await openManagement(t)
  for (const key of ['a.txt', 'trip/b.txt', 'trip/deep/c.txt', 'tri/x']) await put(drive, key)
  const star = (keys: readonly string[], isStarred = true) =>
    send('PUT', '/stars', { bucket: 'files', keys, isStarred })
  const keys = ['a.txt', 'trip/', 'trip/deep/c.txt', 'gone.txt', 'gone/', 'tri/x']
  assert.equal((await star(keys)).status, 204)
  assert.equal((await star(['tri/x'], false)).status, 204)
  const stars = async () => pathsOf(await send('GET', '/stars'))
  assert.deepEqual(await stars(), ['files/a.txt', 'files/trip/', 'files/trip/deep/c.txt'])
  const move = async (path: string, name: string) => {
    const to = { bucket: 'files', prefix: '', name }
    const begun = await send('POST', '/file-jobs', {
      action: 'move',
      bucket: 'files',
      paths: [path],
      to,
    })
    await until(
      async () => (await send('GET', `/file-jobs/${begun.body.id}`)).body.state === 'done',
    )
  }
  await move('trip/', 'tour')
  await move('a.txt', 'é.txt')
  assert.deepEqual(await stars(), ['files/tour/', 'files/tour/deep/c.txt', 'files/é.txt'])
  await drive.remove('files', 'é.txt')
  assert.deepEqual(await stars(), ['files/tour/', 'files/tour/deep/c.txt'])
  await put(drive, 'é.txt')
  await put(drive, 'gone/d')
  assert.equal((await stars()).length, 4)
})

test('stars stay with files that a move skips, and follow those that it renames', async (t) => {
  const { drive, send } = await openManagement(t)
  for (const key of ['a', 'd/1', 'd/2', 'x/a', 'x/d/1']) await put(drive, key, key)
  await send('PUT', '/stars', { bucket: 'files', keys: ['a', 'd/1', 'd/2'], isStarred: true })
  const stars = async () => pathsOf(await send('GET', '/stars'))
  const move = async (taken: string) => {
    const to = { bucket: 'files', prefix: 'x/' }
    const order = { action: 'move', bucket: 'files', paths: ['a', 'd/'], to, taken }
    const { id } = (await send('POST', '/file-jobs', order)).body
    await until(async () => (await send('GET', `/file-jobs/${id}`)).body.state === 'done')
  }
  await move('skip')
  assert.deepEqual(await stars(), ['files/a', 'files/d/1', 'files/x/d/2'])
  await move('keep-both')
  assert.deepEqual(await stars(), ['files/x/a (2)', 'files/x/d/1 (2)', 'files/x/d/2'])
})

test('a drive that fails hides only its own stars, and wrong ones are refused', async (t) => {
  const working = openMemoryDrive()
  const head: typeof working.head = async (bucket, key, options) => {
    if (key === 'away') throw new DriveError('unavailable', 'away')
    return await working.head(bucket, key, options)
  }
  await working.prepare(['files'])
  await put(working, 'here')
  await put(working, 'away')
  const { send } = await openManagement(t, {
    drive: { ...working, head, list: working.list.bind(working) },
  })
  await send('PUT', '/stars', { bucket: 'files', keys: ['here', 'away'], isStarred: true })
  assert.deepEqual(pathsOf(await send('GET', '/stars')), ['files/here'])
  for (const body of [
    { bucket: 'none', keys: ['a'], isStarred: true },
    { bucket: '.bucketry/trash/files', keys: ['a'], isStarred: true },
    { bucket: 'files', keys: [], isStarred: true },
    { bucket: 'files', keys: [''], isStarred: true },
    { bucket: 'files', keys: ['x'.repeat(1_025)], isStarred: true },
    // PostgreSQL cannot store it.
    { bucket: 'files', keys: ['x\0'], isStarred: true },
  ]) {
    assert.equal((await send('PUT', '/stars', body)).status, 400, JSON.stringify(body))
  }
  assert.equal((await send('POST', '/recent', { bucket: 'files', key: 'x\0' })).status, 400)
})

test('a drive that does not respond is not asked for each star', async (t) => {
  const working = openMemoryDrive()
  await working.prepare(['files', 'public'])
  await put(working, 'here', '', 'public')
  let looks = 0
  const head: typeof working.head = async (bucket, key, options) => {
    if (bucket === 'public') return await working.head(bucket, key, options)
    looks += 1
    throw new DriveError('unavailable', 'away')
  }
  const { send } = await openManagement(t, {
    drive: { ...working, head, list: working.list.bind(working) },
  })
  const keys = Array.from({ length: 200 }, (_, number) => `${number}`)
  await send('PUT', '/stars', { bucket: 'public', keys: ['here'], isStarred: true })
  await send('PUT', '/stars', { bucket: 'files', keys, isStarred: true })
  assert.deepEqual(pathsOf(await send('GET', '/stars')), ['public/here'])
  assert.ok(looks <= 8, `${looks} looks`)
})

test('recent files were uploaded or opened, each once, the latest first', async (t) => {
  const row = (key: string, operation: string, atMs: number) => ({
    ...{ requestId: `${key}${atMs}`, atMs, kind: 'change' as const },
    json: JSON.stringify({ bucket: 'files', key, operation, method: 'PUT', status: 200 }),
  })
  const changes = [row('old.txt', 'PutObject', 5), row('b.txt', 'PutObject', 3)]
  const others = [row('a.txt', 'DeleteObject', 9), row('gone', 'PutObject', 9)]
  const activity = { page: async () => [...others, ...changes], clear: async () => undefined }
  const { drive, send } = await openManagement(t, { activity })
  for (const key of ['a.txt', 'b.txt', 'old.txt', 'never']) await put(drive, key)
  assert.equal((await send('POST', '/recent', { bucket: 'files', key: 'b.txt' })).status, 204)
  const { body } = await send('GET', '/recent')
  assert.deepEqual(
    body.entries.map(({ key }: Entry) => key),
    ['b.txt', 'old.txt'],
  )
})
