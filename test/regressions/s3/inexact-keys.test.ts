import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getText, listKeys, md5Of, put, rejectsAs } from '../../contract/drive/stored-object.ts'
import { storeOfFiles, withoutSlashesBefore } from './store-of-files.ts'
import { behind, openDriveOn } from './store-under-test.ts'

test('a key that the store takes for another one reads, writes and removes nothing', async (t) => {
  const drive = await openDriveOn(t, storeOfFiles().answer)
  await drive.prepare(['alpha', 'beta'])
  await put(drive, 'a/b', 'text')
  for (const key of ['a//b', '/a/b', 'a/./b', './a/b', 'x/../a/b', 'a\\b', '../alpha/a/b']) {
    const bucket = key.startsWith('../') ? 'beta' : 'alpha'
    await rejectsAs(Promise.resolve(drive.head(bucket, key)), 'not-implemented')
    await rejectsAs(Promise.resolve(drive.open(bucket, key)), 'not-implemented')
    await rejectsAs(put(drive, key, 'other', { bucket }), 'not-implemented')
    await rejectsAs(drive.remove(bucket, key), 'not-implemented')
    await rejectsAs(drive.uploads.begin('0'.repeat(22), { bucket, key }), 'not-implemented')
    assert.equal(await drive.removeAll?.(bucket, ['c', key]), undefined)
    const source = { bucket, key, etag: md5Of(Buffer.from('text')) }
    const attributes = { etag: source.etag, headers: {}, metadata: {} }
    const copied = drive.copy?.(source, { bucket, key: 'copy' }, { attributes })
    await rejectsAs(Promise.resolve(copied), 'not-implemented')
  }
  assert.equal(await getText(drive, 'a/b'), 'text')
  assert.deepEqual(await listKeys(drive), ['a/b'])
  assert.deepEqual(await listKeys(drive, { prefix: 'a//' }), [])
})

test('a slash that the store drops before a key leads to no other object', async (t) => {
  const { answer } = storeOfFiles(withoutSlashesBefore)
  const drive = await openDriveOn(t, answer, '')
  await drive.prepare(['alpha'])
  await put(drive, 'a', 'text')
  await put(drive, 'b//c', 'text')
  // A request for `/` would be one for the bucket.
  for (const key of ['/a', '/', '//']) {
    await rejectsAs(Promise.resolve(drive.head('alpha', key)), 'not-implemented')
    await rejectsAs(put(drive, key, 'other'), 'not-implemented')
    await rejectsAs(drive.remove('alpha', key), 'not-implemented')
    assert.equal(await drive.removeAll?.('alpha', ['c', key]), undefined)
  }
  assert.equal(await getText(drive, 'a'), 'text')
  // In a folder of the store, no key begins with a slash.
  const inFolder = await openDriveOn(t, answer)
  await inFolder.prepare(['beta'])
  await put(inFolder, '/a', 'text', { bucket: 'beta' })
  assert.equal((await inFolder.head('beta', '/a'))?.size, 4)
})

test('a folder that the store answers for as if it were an object is none', async (t) => {
  const methods: unknown[] = []
  const drive = await openDriveOn(
    t,
    // As SeaweedFS.
    behind(({ method }, response) => {
      methods.push(method)
      const etag = '"d41d8cd98f00b204e9800998ecf8427e-0"'
      response.writeHead(200, { etag, 'content-length': '0' }).end()
    }),
  )
  const wanted = { start: 0, end: Number.POSITIVE_INFINITY }
  assert.equal(await drive.head('alpha', 'a/'), undefined)
  assert.equal(await drive.open('alpha', 'a/', { wanted }), undefined)
  assert.deepEqual(methods, ['HEAD', 'GET'])
})
