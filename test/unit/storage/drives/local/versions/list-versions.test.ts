import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { VersionEntry } from '../../../../../../src/storage/drives/versions.ts'
import { bucket, openDrive, put } from '../open-drive.ts'

test('versions that are stored for the first time during a listing are in it', async (t) => {
  const { drive } = await openDrive(t, undefined, undefined, () => ({ changes: [1_000_000] }))
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f/1', 'g']) await put(drive, key, key)
  const cursor = drive.listVersions?.(bucket, { prefix: '', after: '' }) ?? assert.fail()
  const shown: string[] = []
  const next = async () => {
    const page = (await cursor.next(1)) as VersionEntry[]
    for (const { key, size, isDeleteMarker } of page) {
      shown.push(`${key} ${isDeleteMarker ? 'marker' : size}`)
    }
    return page.length
  }
  assert.equal(await next(), 1)
  await put(drive, 'a', 'again')
  await put(drive, 'b', 'again')
  await drive.remove(bucket, 'c')
  await put(drive, 'f/1', 'again')
  await put(drive, 'e', 'again')
  assert.equal(await next(), 1)
  // The rest of this key is not shown either.
  cursor.seek('c')
  for (let index = 0; index < 4; index++) assert.equal(await next(), 1)
  cursor.seek('f/')
  while ((await next()) > 0) assert.ok(shown.length < 12)
  const c = ['c marker', 'c 1']
  assert.deepEqual(shown, ['a 1', 'b 5', ...c, 'd 1', 'e 5', 'f/1 5', 'f/1 3', 'g 1'])
})

test('a version before one that a hand has copied back was replaced when it was stored', async (t) => {
  const { drive, root } = await openDrive(t, undefined, undefined, () => ({ changes: [1_000_000] }))
  for (const text of ['first', 'second', 'third']) await put(drive, 'k', text)
  const path = join(root, bucket, 'k')
  const replaceLast = (text: string) => {
    const store = join(root, '.bucketry/versions', bucket)
    const names = fs.readdirSync(store, { recursive: true, encoding: 'utf8' })
    const files = names.map((name) => join(store, name)).filter((one) => fs.lstatSync(one).isFile())
    const former = files.find((one) => fs.readFileSync(one, 'utf8') === text) ?? assert.fail()
    const { ctimeMs, mtime } = fs.lstatSync(former)
    fs.rmSync(path)
    fs.writeFileSync(path, text)
    fs.utimesSync(path, mtime, mtime)
    return ctimeMs
  }
  const list = async () =>
    (await drive.listVersions?.(bucket, { prefix: '', after: '' }).next(9)) as VersionEntry[]
  const secondAtMs = replaceLast('second')
  const [second, first] = await list()
  assert.equal(second?.replacedAtMs, undefined)
  assert.ok((first?.replacedAtMs ?? 0) <= secondAtMs)
  replaceLast('first')
  assert.deepEqual(
    (await list()).map(({ size, replacedAtMs }) => [size, replacedAtMs]),
    [
      [5, undefined],
      [6, secondAtMs],
    ],
  )
  // Nobody knows since when the newest one has been missing.
  fs.rmSync(path)
  const [newest] = await list()
  assert.deepEqual([newest?.isLatest, newest?.replacedAtMs], [false, undefined])
})
