import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openFileCount } from '../../../support/open-files.ts'
import { bucket, openDrive, put, readAll } from './open-drive.ts'

const large = 'abcdefgh'.repeat(200_000)

test('read gives any range', async (t) => {
  const { drive } = await openDrive(t)
  await put(drive, 'k', large)
  const object = await drive.open(bucket, 'k')
  assert.ok(object)
  const edges = [0, 1, 65_535, 65_536, 65_537, 262_143, 262_144, 262_145, 1_000_000, large.length]
  for (const start of edges) {
    for (const end of edges.filter((edge) => edge >= start)) {
      assert.equal(await readAll(object.read(start, end)), large.slice(start, end))
    }
  }
  await object.close()
})

test('read rejects when the file was cut short or edited meanwhile', async (t) => {
  const { drive, folder } = await openDrive(t)
  for (const [key, text] of [
    ['small', 'abc'],
    ['large', large],
  ] as const) {
    for (const edit of ['', `x${text.slice(1)}`, `${text}more`]) {
      await put(drive, key, text)
      const object = await drive.open(bucket, key)
      assert.ok(object)
      fs.writeFileSync(join(folder, key), edit)
      await assert.rejects(readAll(object.read(0, object.size)), { kind: 'changed' })
      await object.close()
    }
  }
})

test('close ends an iteration under way, and may be called again', async (t) => {
  const { drive } = await openDrive(t)
  await put(drive, 'k', large)
  for (let round = 0; round < 50; round++) {
    const object = await drive.open(bucket, 'k')
    assert.ok(object)
    const chunks = object.read(0, object.size)
    const iterator = chunks[Symbol.asyncIterator]()
    assert.equal((await iterator.next()).done, false)
    const pending = iterator.next()
    await Promise.all([object.close(), object.close()])
    await pending
    assert.equal((await iterator.next()).done, true)
    assert.equal(await readAll(object.read(0, 10)), '')
  }
})

test('open leaves no descriptor behind', { skip: process.platform !== 'linux' }, async (t) => {
  const { drive } = await openDrive(t)
  await put(drive, 'a/k', large)
  await put(drive, 'a/small', 'x')
  const before = openFileCount()
  for (let round = 0; round < 50; round++) {
    for (const key of ['a/k', 'a/small', 'a', 'nothing', 'a/k/x']) {
      const object = await drive.open(bucket, key)
      for await (const _ of object?.read(0, object.size) ?? []) break
      await object?.close()
      await drive.head(bucket, key)
    }
    await put(drive, 'b/new/k', 'x', {})
    await assert.rejects(put(drive, 'a/k', 'x', { ifNoneMatch: '*' }))
    await drive.remove(bucket, 'b/new/k')
    await drive.list(bucket, { prefix: '', after: '' }).next(10)
    const draft = await drive.draft(bucket, 'd', {})
    await draft.write(Buffer.alloc(10))
    await draft.discard()
  }
  assert.equal(openFileCount(), before)
})
