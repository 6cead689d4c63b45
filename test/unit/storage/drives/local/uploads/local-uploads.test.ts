import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { attributesOf, bucket, get, openDrive } from '../open-drive.ts'

const target = { bucket, key: 'k' }

async function openUpload(t: TestContext) {
  const opened = await openDrive(t)
  const { uploads } = opened.drive
  const part = await uploads.append(await uploads.begin('u', target), { offset: 0 })
  await part.write(Buffer.from('bytes'))
  return { ...opened, uploads, state: await part.commit() }
}

test('a complete that was killed between link and unlink counts as published', async (t) => {
  const { drive, uploads, state, root, folder, records } = await openUpload(t)
  const attributes = attributesOf('bytes')
  const options = { target, size: 5, attributes, conditions: { ifNoneMatch: '*' } } as const
  const metadata = await uploads.complete(state, options)
  const data = join(root, '.bucketry', 'uploads', 'u', 'data')
  fs.linkSync(join(folder, 'k'), data)
  assert.equal(await uploads.isPublished(state), true)
  assert.equal(fs.existsSync(data), false)
  fs.linkSync(join(folder, 'k'), data)
  assert.deepEqual(await uploads.complete(state, options), metadata)
  fs.linkSync(join(folder, 'k'), data)
  await assert.rejects(uploads.append(state, { offset: 5 }), { kind: 'upload-gone' })
  assert.deepEqual(records.forgotten, [])
  assert.deepEqual(await get(drive, 'k'), { text: 'bytes', etag: attributes.etag })
})

test('a part that breaks off leaves no bytes', async (t) => {
  const { uploads, state, root } = await openUpload(t)
  const part = await uploads.append(state, { offset: 5 })
  await part.write(Buffer.alloc(1024 * 1024))
  await part.discard()
  const data = join(root, '.bucketry', 'uploads', 'u', 'data')
  assert.equal(fs.readFileSync(data, 'utf8'), 'bytes')
})

test('nothing is appended to an object that was tagged before its upload lost its name', async (t) => {
  const { drive, uploads, state, root, folder } = await openUpload(t)
  await uploads.complete(state, { target, size: 5, attributes: attributesOf('bytes') })
  const data = join(root, '.bucketry', 'uploads', 'u', 'data')
  for (const round of ['1', '2']) {
    fs.linkSync(join(folder, 'k'), data)
    await drive.setAttributes?.(bucket, 'k', { tags: { round } })
    if (round === '1') assert.equal(await uploads.isPublished(state), true)
    else await assert.rejects(uploads.append(state, { offset: 5 }), { kind: 'upload-gone' })
    assert.equal(fs.existsSync(data), false)
  }
  assert.deepEqual(await get(drive, 'k'), { text: 'bytes', etag: attributesOf('bytes').etag })
  assert.deepEqual((await drive.head(bucket, 'k'))?.attributes.tags, { round: '2' })
})

test('the state of an upload has the same form in the database as in the version before', async (t) => {
  const { drive, uploads, state } = await openUpload(t)
  const stored = `{"id":"u","target":{"bucket":"${bucket}","key":"k"}}`
  assert.equal(state, stored)
  const tail = await uploads.replaceLast(stored, { offset: 0 })
  await tail.write(Buffer.from('other'))
  const [, name = ''] = /"name":"(tail-[^"]+)"/.exec(await tail.commit()) ?? []
  const replaced = `{"id":"u","tail":{"name":"${name}","offset":0,"size":5}}`
  await uploads.complete(replaced, { target, size: 5, attributes: attributesOf('other') })
  assert.equal((await get(drive, 'k'))?.text, 'other')
})

test('an upload continues when its file was hard-linked by hand', async (t) => {
  const { drive, uploads, state, root } = await openUpload(t)
  const data = join(root, '.bucketry', 'uploads', 'u', 'data')
  fs.linkSync(data, join(root, 'second name'))
  assert.equal(await uploads.isPublished(state), false)
  await uploads.complete(state, { target, size: 5, attributes: attributesOf('bytes') })
  assert.equal((await get(drive, 'k'))?.text, 'bytes')
})

test('sweep skips entries that are not uploads', async (t) => {
  const { uploads, root } = await openUpload(t)
  const folder = join(root, '.bucketry', 'uploads')
  for (const name of ['.DS_Store', 'zzz']) fs.writeFileSync(join(folder, name), '')
  await uploads.sweep(async () => false, -60_000)
  assert.deepEqual(fs.readdirSync(folder).sort(), ['.DS_Store', 'zzz'])
})
