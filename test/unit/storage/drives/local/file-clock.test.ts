import assert from 'node:assert/strict'
import fs from 'node:fs'
import { test } from 'node:test'
import { FileClock } from '../../../../../src/storage/drives/local/file-clock.ts'
import { FolderIndexes } from '../../../../../src/storage/drives/local/folders/folder-indexes.ts'
import {
  openLocalRoot,
  processFolderOf,
} from '../../../../../src/storage/drives/local/local-root.ts'
import { tempFolder } from './temp-folder.ts'

/** More than a folder must be older than now to count as unchanged. */
const aheadMs = 60_000

/** The time that the file system gives to a change. */
function changeTime(folder: string): number {
  fs.writeFileSync(`${folder}/file`, '')
  fs.unlinkSync(`${folder}/file`)
  return fs.lstatSync(folder).mtimeMs
}

test('the time is that of the file system, not that of this machine', async (t) => {
  const folder = tempFolder(t)
  const clock = new FileClock(() => folder)
  const { now } = Date
  t.mock.method(Date, 'now', () => now() + aheadMs)
  const before = changeTime(folder)
  const first = await clock.nowMs()
  assert.ok(first >= before)
  assert.ok((await clock.nowMs()) >= first)
  assert.ok(clock.recentMs <= changeTime(folder) + 20)
  assert.deepEqual(fs.readdirSync(folder), [])
})

test('without its folder, no time is known', async (t) => {
  const folder = `${tempFolder(t)}/absent`
  const clock = new FileClock(() => folder)
  assert.equal(await clock.nowMs(), Number.NEGATIVE_INFINITY)
  assert.equal(clock.recentMs, Number.NEGATIVE_INFINITY)
})

test('the time stays known when another process has removed the folder, but not when the drive is away', async (t) => {
  const root = await openLocalRoot(tempFolder(t))
  const begunAtMs = await root.clock.nowMs()
  let passedMs = 0
  const { now } = performance
  t.mock.method(performance, 'now', () => now.call(performance) + passedMs)
  fs.rmSync(processFolderOf(root), { recursive: true })
  passedMs += 2_000
  assert.ok((await root.clock.nowMs()) >= begunAtMs)
  fs.rmSync(root.ownPath, { recursive: true })
  passedMs += 2_000
  assert.equal(await root.clock.nowMs(), Number.NEGATIVE_INFINITY)
  assert.deepEqual(fs.readdirSync(root.path), [])
})

test('before the first measurement, no time is known; afterwards it is', async (t) => {
  const folder = tempFolder(t)
  const clock = new FileClock(() => folder)
  assert.equal(clock.recentMs, Number.NEGATIVE_INFINITY)
  while (clock.recentMs === Number.NEGATIVE_INFINITY) await new Promise(setImmediate)
})

test('a folder that just changed is read again, however far ahead the clock of this machine is', async (t) => {
  const root = await openLocalRoot(tempFolder(t))
  const indexes = new FolderIndexes(root)
  t.after(() => indexes.close())
  const { now } = Date
  t.mock.method(Date, 'now', () => now() + aheadMs)
  fs.mkdirSync(`${root.path}/bucket`)
  // Still to come for the file system, and long ago for this machine.
  const changed = new Date(now() + aheadMs / 2)
  for (let round = 0; round < 10; round += 1) {
    fs.writeFileSync(`${root.path}/bucket/${round}`, '')
    fs.utimesSync(`${root.path}/bucket`, changed, changed)
    const first = await indexes.get('bucket')
    assert.notEqual(await indexes.get('bucket'), first)
  }
})
