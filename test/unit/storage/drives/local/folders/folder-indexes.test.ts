import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { CallThread } from '../../../../../../src/platform/process/call-thread.ts'
import type { FolderIndex } from '../../../../../../src/storage/drives/local/folders/folder-index.ts'
import { FolderIndexes } from '../../../../../../src/storage/drives/local/folders/folder-indexes.ts'
import { openLocalRoot } from '../../../../../../src/storage/drives/local/local-root.ts'
import { Pace } from '../../../../../../src/storage/drives/local/objects/pace.ts'
import { diskFolder } from '../../../../../support/disk-folder.ts'
import { tempFolder } from '../temp-folder.ts'

async function makeIndexes(t: TestContext) {
  // On tmpfs, the size of a folder does not depend on its names.
  const root = await openLocalRoot(tempFolder(t, diskFolder))
  const folder = join(root.path, 'bucket')
  fs.mkdirSync(folder)
  const indexes = new FolderIndexes(root)
  t.after(() => indexes.close())
  return { folder, indexes, put: (name: string) => fs.writeFileSync(join(folder, name), '') }
}

function namesOf(index: FolderIndex | undefined): string[] {
  return Array.from({ length: index?.count ?? 0 }, (_, position) => index?.name(position) ?? '')
}

test('get sees every change, even within one tick of the file clock', async (t) => {
  const { indexes, put } = await makeIndexes(t)
  const expected: string[] = []
  for (let round = 0; round < 300; round++) {
    const name = String(1000 + round)
    put(name)
    expected.push(name)
    assert.deepEqual(namesOf(await indexes.get('bucket')), expected)
  }
})

test('get reads an unchanged folder once', async (t) => {
  const { folder, indexes, put } = await makeIndexes(t)
  put('a')
  fs.utimesSync(folder, 1000, 1000)
  // The change time cannot be set back: the folder must be older than a step of the clock.
  await new Promise((resolve) => setTimeout(resolve, 60))
  const first = await indexes.get('bucket')
  assert.equal(await indexes.get('bucket'), first)
  put('b')
  assert.deepEqual(namesOf(await indexes.get('bucket')), ['a', 'b'])
})

test('get does not use a reading that began before the call', async (t) => {
  const { indexes, put } = await makeIndexes(t)
  for (let round = 0; round < 50; round++) {
    const before = indexes.get('bucket')
    put(`n${round}`)
    const after = await indexes.get('bucket')
    assert.ok(namesOf(after).includes(`n${round}`))
    await before
  }
})

test('get reads a large folder in a thread, with the same result', async (t) => {
  const { folder, indexes, put } = await makeIndexes(t)
  const names = Array.from({ length: 4000 }, (_, index) => `${'long-name-'.repeat(18)}${index}`)
  for (const name of names) put(name)
  assert.ok(fs.statSync(folder).size > 512 * 1024 || process.platform !== 'linux')
  assert.deepEqual(namesOf(await indexes.get('bucket')), names.sort())
})

test('get reads other folders in steps, and other work runs between them', async (t) => {
  const { indexes, put } = await makeIndexes(t)
  const names = Array.from({ length: 3500 }, (_, index) => `name-${index}`)
  for (const name of names) put(name)
  // The clock stands still: no step takes long, however busy the machine is.
  t.mock.method(performance, 'now', () => 0)
  const inThread = t.mock.method(CallThread.prototype, 'call')
  let turns = 0
  const count = () => {
    turns += 1
    immediate = setImmediate(count)
  }
  let immediate = setImmediate(count)
  const index = await indexes.get('bucket')
  clearImmediate(immediate)
  assert.deepEqual(namesOf(index), names.sort())
  assert.equal(inThread.mock.callCount(), 0)
  assert.ok(turns >= 3, `${turns} turns`)
})

test('get reads in steps also where each takes some milliseconds', async (t) => {
  const { indexes, put } = await makeIndexes(t)
  const names = Array.from({ length: 9500 }, (_, index) => `name-${index}`)
  for (const name of names) put(name)
  let nowMs = 0
  t.mock.method(performance, 'now', () => {
    nowMs += 5
    return nowMs
  })
  const inThread = t.mock.method(CallThread.prototype, 'call')
  assert.deepEqual(namesOf(await indexes.get('bucket')), names.sort())
  assert.equal(inThread.mock.callCount(), 0)
})

test('while several folders are read, other work runs between their steps', async (t) => {
  const { folder, indexes } = await makeIndexes(t)
  const paths = ['a', 'b', 'c', 'd'].map((name) => `bucket/${name}`)
  for (const path of paths) {
    const inner = join(folder, '..', path)
    fs.mkdirSync(inner)
    for (let number = 0; number < 2_500; number++) fs.writeFileSync(join(inner, `n${number}`), '')
  }
  // The clock stands still: no step takes long, however busy the machine is.
  t.mock.method(performance, 'now', () => 0)
  let turn = 0
  let immediate = setImmediate(function count() {
    turn += 1
    immediate = setImmediate(count)
  })
  t.after(() => clearImmediate(immediate))
  const stepsOf = new Map<number, number>()
  const { tryNow } = Pace.prototype
  t.mock.method(Pace.prototype, 'tryNow', function (this: Pace, step: () => unknown) {
    stepsOf.set(turn, (stepsOf.get(turn) ?? 0) + 1)
    return tryNow.call(this, step)
  })
  await Promise.all(paths.map((path) => indexes.get(path)))
  const steps = [...stepsOf.values()].reduce((sum, count) => sum + count, 0)
  assert.ok(steps >= 3 * paths.length, `${steps} steps`)
  // Only the first step of each may come in the same turn as another.
  assert.ok(steps - stepsOf.size <= paths.length, `${steps} steps in ${stepsOf.size} turns`)
})

test('get reads in a thread if a step of a folder takes long', async (t) => {
  const { indexes, put } = await makeIndexes(t)
  const names = Array.from({ length: 2500 }, (_, index) => `name-${index}`)
  for (const name of names) put(name)
  const { opendirSync } = fs
  t.mock.method(fs, 'opendirSync', (...given: Parameters<typeof opendirSync>) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 120)
    return opendirSync(...given)
  })
  // Pace does not learn how long the thread has waited for a core: on a busy machine, also for 120 ms before the step.
  t.mock.method(fs, 'readFileSync', () => '')
  const close = t.mock.method(fs.Dir.prototype, 'closeSync')
  const inThread = t.mock.method(CallThread.prototype, 'call')
  assert.deepEqual(namesOf(await indexes.get('bucket')), names.sort())
  assert.equal(inThread.mock.callCount(), 1)
  assert.equal(close.mock.callCount(), 1)
})

test('get omits names that cannot be keys', { skip: process.platform !== 'linux' }, async (t) => {
  const { folder, indexes, put } = await makeIndexes(t)
  put('file')
  put('\ufffd')
  fs.mkdirSync(join(folder, 'folder'))
  fs.symlinkSync('file', join(folder, 'link'))
  fs.symlinkSync('folder', join(folder, 'link to folder'))
  execFileSync('mkfifo', [join(folder, 'fifo')])
  const putBytes = (...bytes: number[]) =>
    fs.writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(bytes)]), '')
  putBytes(0x62, 0x61, 0x64, 0xff)
  // Longer than a name can be when each byte is replaced by U+FFFD.
  putBytes(...new Array(200).fill(0xff))
  assert.deepEqual(namesOf(await indexes.get('bucket')), ['file', 'folder/', '\ufffd'])
})

test('get shows a name with U+FFFD once, whatever else is decoded to it', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const { folder, indexes } = await makeIndexes(t)
  fs.mkdirSync(join(folder, 'a\ufffd'))
  fs.writeFileSync(Buffer.concat([Buffer.from(`${folder}/a`), Buffer.from([0xff])]), '')
  fs.writeFileSync(Buffer.concat([Buffer.from(`${folder}/a`), Buffer.from([0xfe])]), '')
  assert.deepEqual(namesOf(await indexes.get('bucket')), ['a\ufffd/'])
})

test('get shows the rest of a cut name, and notices changes to it', async (t) => {
  const { folder, indexes } = await makeIndexes(t)
  const inner = join(folder, `${'n'.repeat(253)}%+`)
  fs.mkdirSync(inner)
  fs.writeFileSync(join(inner, 'nn1'), '')
  await new Promise((resolve) => setTimeout(resolve, 60))
  const long = 'n'.repeat(255)
  assert.deepEqual(namesOf(await indexes.get('bucket')), [`${long}1`])
  fs.writeFileSync(join(inner, 'nn0'), '')
  assert.deepEqual(namesOf(await indexes.get('bucket')), [`${long}0`, `${long}1`])
})

test('get returns undefined for a symbolic link, a file or a missing path', async (t) => {
  const { folder, indexes, put } = await makeIndexes(t)
  put('file')
  fs.mkdirSync(join(folder, 'folder'))
  fs.symlinkSync('folder', join(folder, 'link'))
  for (const name of ['file', 'link', 'link/x', 'nothing']) {
    assert.equal(await indexes.get(`bucket/${name}`), undefined, name)
  }
  assert.ok(await indexes.get('bucket/folder'))
})

test('get reads a folder with many names in a thread, whatever its reported size', async (t) => {
  const { folder, indexes } = await makeIndexes(t)
  // The names are in the folder of a cut name: the requested folder has one small entry.
  const inner = join(folder, `${'n'.repeat(253)}%+`)
  fs.mkdirSync(inner)
  const names = Array.from({ length: 16_000 }, (_, index) => `nn${1_000_000 + index}`)
  for (const name of names) fs.writeFileSync(join(inner, name), '')
  const inThread = t.mock.method(CallThread.prototype, 'call')
  const index = await indexes.get('bucket')
  assert.equal(index?.count, 16_000)
  assert.ok(inThread.mock.callCount() > 0)
})
