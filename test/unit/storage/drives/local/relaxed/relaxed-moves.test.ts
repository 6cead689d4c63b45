import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { mock, test } from 'node:test'
import { MemoryRecords } from '../memory-records.ts'
import { tempFolder } from '../temp-folder.ts'

// Before the modules that keep the function are loaded.
const { fsync } = fs
const synced = new Set<number>()
mock.method(fs, 'fsync', (fd: number, done: (error?: Error | null) => void) => {
  synced.add(fs.fstatSync(fd).ino)
  fsync(fd, done)
})
const { attributesOf, bucket, put } = await import('../open-drive.ts')
const { fileSystems, openRelaxed } = await import('./torn-drive.ts')

test('a move syncs the file of a relaxed write before it replaces another one', async (t) => {
  const root = tempFolder(t)
  const drive = await openRelaxed(t, root, new MemoryRecords())
  const [from, to] = [
    { bucket, key: 'a' },
    { bucket, key: 'b' },
  ]
  await put(drive, 'b', 'durable')
  const { etag } = (await put(drive, 'a', 'moved')).attributes
  const { ino } = fs.statSync(join(root, bucket, 'a'))
  assert.equal(synced.has(ino), false)
  const options = { attributes: attributesOf('moved'), isMove: true }
  await drive.copy?.({ ...from, etag }, to, options)
  assert.equal(fs.statSync(join(root, bucket, 'b')).ino, ino)
  assert.equal(synced.has(ino), true)
})

test('a write is synced if versions were enabled while it waited', async (t) => {
  const root = tempFolder(t)
  let looks = 0
  const versioningOf = () => (++looks > 1 ? { changes: [1] } : undefined)
  const drive = await openRelaxed(t, root, new MemoryRecords(), fileSystems.ext4, versioningOf)
  looks = 0
  await put(drive, 'k', 'bytes')
  assert.equal(synced.has(fs.statSync(join(root, bucket, 'k')).ino), true)
})
