import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryDrive } from '../../../../../src/storage/drives/memory/memory-drive.ts'
import { findClashes, freePath } from '../../../../../src/storage/jobs/files/clashes.ts'
import { put } from '../../../dashboard/management/management-fixture.ts'

const bucket = 'files'
const { signal } = new AbortController()

async function openDrive(keys: readonly string[]) {
  const drive = openMemoryDrive()
  await drive.prepare([bucket])
  for (const key of keys) await put(drive, key, key)
  return drive
}

test('clashes are the objects of both folders, however their names are spread', async () => {
  const from = Array.from({ length: 1_200 }, (_, index) => `a/${index * 3}`)
  const there = Array.from({ length: 1_700 }, (_, index) => `b/c/${index * 2}`)
  const drive = await openDrive([...from, ...there, 'x', 'b/x', 'y'])
  const order = { bucket, paths: ['a/', 'x', 'y', 'none'] }
  const to = { bucket, paths: ['b/c/', 'b/x', 'b/y', 'b/none'] }
  const { clashes, isMore } = await findClashes(drive, { ...order, to }, signal)
  const both = from.map((key) => `b/c/${key.slice(2)}`).filter((key) => there.includes(key))
  assert.ok(both.length > 500)
  assert.deepEqual(clashes.map(({ key }) => key).sort(), ['b/x', ...both].sort())
  assert.equal(isMore, false)
  const [first] = clashes
  assert.deepEqual([first?.key, first?.file.size, first?.there.size], ['b/x', 1, 3])
})

test('no more than 1,000 clashes are named', async () => {
  const keys = Array.from({ length: 1_100 }, (_, index) => [`a/${index}`, `b/${index}`]).flat()
  const drive = await openDrive(keys)
  const to = { bucket, paths: ['b/'] }
  const { clashes, isMore } = await findClashes(drive, { bucket, paths: ['a/'], to }, signal)
  assert.deepEqual([clashes.length, isMore], [1_000, true])
})

test('a copy beside its source gets the first free number', async () => {
  const drive = await openDrive(['a.txt', 'a (2).txt', 'trip/1', 'trip (2)/1'])
  const free = (path: string, ...reserved: string[]) =>
    freePath(drive, bucket, path, new Set(reserved))
  assert.equal(await free('a.txt'), 'a (3).txt')
  assert.equal(await free('a.txt', 'a (3).txt'), 'a (4).txt')
  assert.equal(await free('trip/'), 'trip (3)/')
})
