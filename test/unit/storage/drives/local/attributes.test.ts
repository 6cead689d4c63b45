import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { AttributeCache } from '../../../../../src/storage/drives/local/objects/attribute-cache.ts'
import { MemoryRecords } from './memory-records.ts'
import { attributesOf, bucket, get, log, openDrive, put } from './open-drive.ts'
import { tempFolder } from './temp-folder.ts'

test('an object renamed by hand keeps its attributes', async (t) => {
  const { drive, folder } = await openDrive(t)
  const { attributes } = await put(drive, 'a/old.txt', 'text')
  fs.renameSync(join(folder, 'a', 'old.txt'), join(folder, 'new.bin'))
  assert.deepEqual((await drive.head(bucket, 'new.bin'))?.attributes, attributes)
})

test('a drive copied to another disk with its times is recognized', async (t) => {
  const { drive, root, records } = await openDrive(t)
  const keys = ['k', 'a/b', 'a', `long-${'é'.repeat(200)}`, 'a//']
  for (const key of keys) await put(drive, key, `bytes of ${key}`)
  const copy = join(tempFolder(t), 'copy')
  fs.cpSync(root, copy, { recursive: true, preserveTimestamps: true })
  const other = (await openDrive(t, copy, records)).drive
  const listed = await other.list(bucket, { prefix: '', after: '' }).next(10)
  const etags = new Map(listed.map((entry) => [entry.key, 'etag' in entry ? entry.etag : '']))
  for (const key of keys) {
    const attributes = attributesOf(`bytes of ${key}`)
    assert.equal(etags.get(key), attributes.etag)
    assert.deepEqual((await other.head(bucket, key))?.attributes, attributes)
  }
  // It was adopted: from now on, it may be renamed.
  fs.renameSync(join(copy, bucket, 'k'), join(copy, bucket, 'renamed'))
  assert.equal((await get(other, 'renamed'))?.etag, attributesOf('bytes of k').etag)
})

test('a file added by hand gets a content type from its name', async (t) => {
  const { drive, folder } = await openDrive(t)
  fs.writeFileSync(join(folder, 'photo.jpg'), 'x')
  fs.writeFileSync(join(folder, 'what'), 'x')
  const typeOf = async (key: string) =>
    (await drive.head(bucket, key))?.attributes.headers['content-type']
  assert.equal(await typeOf('photo.jpg'), 'image/jpeg')
  assert.equal(await typeOf('what'), 'application/octet-stream')
  fs.renameSync(join(folder, 'photo.jpg'), join(folder, 'photo.png'))
  assert.equal(await typeOf('photo.png'), 'image/png')
})

test('the record of an overwritten and removed object is forgotten, unless the file has another name', async (t) => {
  const { drive, folder, records } = await openDrive(t)
  await put(drive, 'k', 'one')
  await put(drive, 'k', 'two')
  assert.equal(records.forgotten.length, 1)
  fs.linkSync(join(folder, 'k'), join(folder, 'second name'))
  await drive.remove(bucket, 'k')
  assert.equal(records.forgotten.length, 1)
  assert.equal((await get(drive, 'second name'))?.etag, attributesOf('two').etag)
  await drive.remove(bucket, 'second name')
  assert.equal(records.forgotten.length, 2)
})

test('identities are never reused, however fast files are created and deleted', async (t) => {
  const { drive, records } = await openDrive(t)
  for (let round = 0; round < 200; round++) {
    await put(drive, 'k', 'x')
    await drive.remove(bucket, 'k')
  }
  assert.equal(new Set(records.forgotten).size, 200)
})

test('an object is not published when its attributes cannot be saved', async (t) => {
  const { drive, records, root } = await openDrive(t)
  await put(drive, 'k', 'old')
  records.failure = new Error('disk full')
  await assert.rejects(put(drive, 'k', 'new'), { kind: 'unavailable' })
  await assert.rejects(put(drive, 'other', 'new'), { kind: 'unavailable' })
  records.failure = undefined
  assert.equal((await get(drive, 'k'))?.text, 'old')
  assert.equal(await drive.head(bucket, 'other'), undefined)
  const left = fs.readdirSync(join(root, '.bucketry', 'tmp'), { recursive: true }).map(String)
  assert.deepEqual(
    left.filter((path) => /\/\d+$/.test(path)),
    [],
  )
})

test('an unreadable record counts as missing', async (t) => {
  const { drive, root, records } = await openDrive(t)
  await put(drive, 'k', 'x')
  for (const [identity, record] of records.records) {
    records.records.set(identity, { ...record, json: '{"etag":' })
  }
  const other = (await openDrive(t, root, records)).drive
  assert.match((await other.head(bucket, 'k'))?.attributes.etag ?? '', /^[0-9a-f]{32}-1$/)
})

test('the memory for attributes is bounded', async () => {
  const records = new MemoryRecords()
  let finds = 0
  const find = records.find.bind(records)
  records.find = (identity) => {
    finds++
    return find(identity)
  }
  const known = new AttributeCache(records, log)
  const fileOf = (identity: string) => ({ identity, path: identity, size: 1, modifiedAtMs: 1 })
  const attributes = { etag: '0'.repeat(32), headers: {}, metadata: { m: 'x'.repeat(2000) } }
  for (let file = 0; file < 5000; file++) await known.save(fileOf(`${file}`), attributes, [])
  await known.of(fileOf('4999'))
  assert.equal(finds, 0)
  assert.deepEqual(await known.of(fileOf('0')), attributes)
  assert.equal(finds, 1)
})
