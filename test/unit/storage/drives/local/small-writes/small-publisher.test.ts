import assert from 'node:assert/strict'
import fs from 'node:fs'
import { dirname } from 'node:path'
import { type TestContext, test } from 'node:test'
import { CallThread } from '../../../../../../src/platform/process/call-thread.ts'
import type { Drive } from '../../../../../../src/storage/drives/drive.ts'
import { identityOf } from '../../../../../../src/storage/drives/local/objects/file-identity.ts'
import {
  type PackedCall,
  unpackJobs,
} from '../../../../../../src/storage/drives/local/small-writes/packed-jobs.ts'
import { SmallWrites } from '../../../../../../src/storage/drives/local/small-writes/small-writes.ts'
import type { VersionEntry, VersioningOf } from '../../../../../../src/storage/drives/versions.ts'
import { MemoryRecords } from '../memory-records.ts'
import { attributesOf, bucket, get, openDrive, put, readAll } from '../open-drive.ts'

const skip = process.platform !== 'linux'

/** A drive whose thread has started. */
async function openWithThread(t: TestContext, versioningOf?: VersioningOf) {
  const opened = await openDrive(t, undefined, undefined, versioningOf)
  const seal = t.mock.method(SmallWrites.prototype, 'seal')
  const publish = t.mock.method(SmallWrites.prototype, 'publish')
  await writeUntil(opened.drive, () => seal.mock.callCount() > 0)
  // Tests write one object after the other.
  t.mock.getter(SmallWrites.prototype, 'isAlone', () => false)
  return { ...opened, seal, publish }
}

async function writeUntil(drive: Drive, isUsed: () => boolean): Promise<void> {
  while (!isUsed()) await Promise.all([put(drive, 'warm/1', 'x'), put(drive, 'warm/2', 'x')])
}

/** Temporary files of objects, and locks. */
function leftovers(root: string): string[] {
  const paths = fs.readdirSync(`${root}/.bucketry`, { recursive: true }) as string[]
  return paths.filter((path) => /^tmp\/[^/]+\/\d+$|^locks\/./.test(path))
}

/** Files in fences. */
function fences(root: string): string[] {
  const paths = fs.readdirSync(`${root}/.bucketry`, { recursive: true }) as string[]
  return paths.filter((path) => /^tmp\/[^/]+\/fence-[^/]+\/./.test(path))
}

test('a single writer of small objects needs no thread', { skip }, async (t) => {
  const { drive } = await openDrive(t)
  const seal = t.mock.method(SmallWrites.prototype, 'seal')
  for (let index = 0; index < 20; index++) await put(drive, `k${index}`, 'x')
  assert.equal(seal.mock.callCount(), 0)
})

test('without a thread that saves records, many writes of one writer need none', {
  skip,
}, async (t) => {
  const { drive } = await openDrive(t)
  const start = t.mock.method(CallThread.prototype, 'call')
  for (let index = 0; index < 100; index++) await put(drive, `k${index}`, 'x')
  assert.equal(start.mock.callCount(), 0)
})

test('concurrent writes leave the last version of each key, with its attributes', {
  skip,
}, async (t) => {
  const { drive, root, records } = await openWithThread(t)
  const last = new Map<string, string>()
  const writer = async (number: number) => {
    for (let index = 0; index < 40; index++) {
      const bytes = `${number} ${index} `.repeat(1 + ((number * index) % 50))
      await put(drive, `own/${number}`, bytes)
      last.set(`own/${number}`, bytes)
      await put(drive, `shared/${index % 3}`, bytes)
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, number) => writer(number)))
  for (const [key, bytes] of last) assert.equal((await get(drive, key))?.text, bytes)
  for (const index of [0, 1, 2]) {
    const version = await get(drive, `shared/${index}`)
    assert.equal(version?.etag, attributesOf(version?.text ?? '').etag)
  }
  // Of each of the 13 objects, all versions but one are forgotten, each once.
  assert.equal(new Set(records.forgotten).size, records.forgotten.length)
  assert.equal(records.records.size - records.forgotten.length, 13)
  assert.deepEqual(leftovers(root), [])
})

test('a key in a new folder is published, and the folder is removed with it', {
  skip,
}, async (t) => {
  const save = t.mock.method(MemoryRecords.prototype, 'save')
  const { drive, folder, seal } = await openWithThread(t)
  const [sealed, saved] = [seal.mock.callCount(), save.mock.callCount()]
  await put(drive, 'new/folder/key', 'x')
  assert.equal(seal.mock.callCount(), sealed)
  assert.equal(save.mock.callCount(), saved + 1)
  assert.equal((await get(drive, 'new/folder/key'))?.text, 'x')
  await drive.remove(bucket, 'new/folder/key')
  assert.equal(fs.existsSync(`${folder}/new`), false)
})

test('a key beside a folder of the same name is published', { skip }, async (t) => {
  const { drive, folder } = await openWithThread(t)
  await put(drive, 'warm', 'beside')
  assert.equal((await get(drive, 'warm'))?.text, 'beside')
  assert.equal((await get(drive, 'warm/1'))?.text, 'x')
  for (const number of [1, 2]) await drive.remove(bucket, `warm/${number}`)
  await put(drive, 'warm', 'alone')
  assert.equal((await get(drive, 'warm'))?.text, 'alone')
  assert.deepEqual(fs.readdirSync(folder), ['warm'])
})

test('an object whose attributes cannot be saved is not published', { skip }, async (t) => {
  const { drive, root, records } = await openDrive(t)
  const seal = t.mock.method(SmallWrites.prototype, 'seal')
  await writeUntil(drive, () => seal.mock.callCount() > 0)
  records.failure = new Error('no database')
  await assert.rejects(put(drive, 'k', 'x'), { kind: 'unavailable' })
  assert.equal(await get(drive, 'k'), undefined)
  assert.deepEqual(leftovers(root), [])
})

test('an object whose folder cannot be created leaves no record', { skip }, async (t) => {
  const { drive, root, folder, records } = await openWithThread(t)
  fs.symlinkSync(folder, `${folder}/link`)
  await assert.rejects(put(drive, 'link/k', 'x'), { kind: 'denied' })
  const saved = [...records.records.values()].filter(({ path }) => path === `${bucket}/link/k`)
  assert.equal(saved.length, 1)
  assert.ok(records.forgotten.includes(saved[0]?.identity ?? ''))
  assert.deepEqual(leftovers(root), [])
})

test('publish rejects when its folder could not be synced in the thread', { skip }, async (t) => {
  const { drive, records, publish } = await openWithThread(t)
  await put(drive, 'k', 'old')
  publish.mock.mockImplementationOnce(async ({ path, folder, name }) => {
    fs.renameSync(path, `${folder}/${name}`)
    const moved = { gone: undefined, synced: undefined, syncError: 'EIO' }
    return { moved, isLocked: false }
  })
  const before = records.forgotten.length
  await assert.rejects(put(drive, 'k', 'new'), { kind: 'unavailable', message: /EIO/ })
  assert.equal((await get(drive, 'k'))?.etag, attributesOf('new').etag)
  assert.equal(records.forgotten.length, before)
})

test('when the thread ends, its lock is removed and the request can be sent again', {
  skip,
}, async (t) => {
  const { drive, root, publish } = await openWithThread(t)
  publish.mock.mockImplementationOnce(async ({ lock }) => {
    fs.linkSync(lock.holder, lock.path)
    throw Object.assign(new Error('The thread ended.'), { code: 'EIO' })
  })
  await assert.rejects(put(drive, 'k', 'x'), { kind: 'unavailable', message: /Send the request/ })
  assert.deepEqual(leftovers(root), [])
  await put(drive, 'k', 'again')
  assert.equal((await get(drive, 'k'))?.text, 'again')
})

test('when the thread ends while it writes a file, the file is removed and written again', {
  skip,
}, async (t) => {
  const { drive, root } = await openWithThread(t)
  const call = t.mock.method(CallThread.prototype, 'call')
  call.mock.mockImplementationOnce(async (request: unknown) => {
    const [job] = unpackJobs((request as PackedCall).jobs)
    fs.writeFileSync(job?.path ?? '', 'some of the')
    throw Object.assign(new Error('The thread ended.'), { code: 'EIO' })
  })
  await put(drive, 'k', 'some of the bytes')
  assert.equal((await get(drive, 'k'))?.text, 'some of the bytes')
  assert.deepEqual(leftovers(root), [])
})

test('an object that was moved when the drive disappeared is not acknowledged', {
  skip,
}, async (t) => {
  const { drive, root, publish } = await openWithThread(t)
  await put(drive, 'k', 'x')
  publish.mock.mockImplementationOnce(async () => {
    fs.renameSync(root, `${root}-unmounted`)
    fs.mkdirSync(root)
    return { moved: { gone: undefined, synced: undefined, syncError: undefined }, isLocked: false }
  })
  await assert.rejects(put(drive, 'k', 'y'), { kind: 'unavailable' })
  fs.rmdirSync(root)
  fs.renameSync(`${root}-unmounted`, root)
})

for (const isSyncable of [true, false]) {
  const outcome = isSyncable ? 'acknowledged' : 'not acknowledged if that can’t be made durable'
  test(`an object whose folder was moved before its sync is ${outcome}`, { skip }, async (t) => {
    const { drive, root, publish } = await openWithThread(t)
    await put(drive, 'from/k', 'x')
    publish.mock.mockImplementationOnce(async ({ path, folder, name }) => {
      fs.renameSync(path, `${folder}/${name}`)
      fs.renameSync(folder, `${root}/${bucket}/to`)
      // The folder that the file was in before: its sync has the same rename.
      if (!isSyncable) fs.renameSync(dirname(path), `${dirname(path)}.former-1`)
      return {
        moved: { gone: undefined, synced: undefined, syncError: undefined },
        isLocked: false,
      }
    })
    const putting = put(drive, 'from/k', 'y')
    await (isSyncable ? putting : assert.rejects(putting, { kind: 'unavailable' }))
    assert.equal((await get(drive, 'to/k'))?.text, 'y')
  })
}

test("a lock that the thread left is removed also when the drive's own files were removed", {
  skip,
}, async (t) => {
  const { drive, root, publish } = await openWithThread(t)
  publish.mock.mockImplementationOnce(async ({ path, folder, name, lock }) => {
    fs.linkSync(lock.holder, lock.path)
    fs.renameSync(path, `${folder}/${name}`)
    fs.rmSync(lock.holder)
    return { moved: { gone: undefined, synced: undefined, syncError: undefined }, isLocked: true }
  })
  await put(drive, 'k', 'x')
  assert.deepEqual(leftovers(root), [])
  await put(drive, 'k', 'again')
  assert.equal((await get(drive, 'k'))?.text, 'again')
})

test('an object that the thread does not move is published step by step', { skip }, async (t) => {
  const { drive, publish } = await openWithThread(t)
  publish.mock.mockImplementationOnce(async () => ({ moved: undefined, isLocked: false }))
  await put(drive, 'k', 'x')
  assert.equal((await get(drive, 'k'))?.text, 'x')
})

test('an object that the thread published without reporting it keeps its record', {
  skip,
}, async (t) => {
  const { drive, records, folder, publish } = await openWithThread(t)
  publish.mock.restore()
  const original = SmallWrites.prototype.publish
  let unreported = 0
  t.mock.method(
    SmallWrites.prototype,
    'publish',
    async function (this: SmallWrites, ...given: Parameters<SmallWrites['publish']>) {
      const outcome = await original.apply(this, given)
      if (outcome.moved !== undefined) unreported += 1
      return { ...outcome, moved: undefined }
    },
  )
  await writeUntil(drive, () => unreported > 0)
  for (const name of ['1', '2']) {
    const identity = identityOf(fs.lstatSync(`${folder}/warm/${name}`), true)
    assert.deepEqual(
      [records.records.has(identity), records.forgotten.includes(identity)],
      [true, false],
    )
  }
})

test('with versions, the thread keeps each version that it replaces', { skip }, async (t) => {
  const versioning = { changes: [1_000_000] }
  const { drive, root, publish } = await openWithThread(t, () => versioning)
  const keys = ['a', 'b', 'c', 'd']
  const before = publish.mock.callCount()
  const keptByThread = async () => {
    const calls = publish.mock.calls.slice(before)
    const outcomes = await Promise.all(calls.map(({ result }) => result))
    const moved = outcomes.filter((outcome) => outcome?.moved !== undefined).length
    return moved - keys.length
  }
  let rounds = 0
  // The thread takes a write only while it is quick enough, which it is not always on a busy machine.
  while (rounds < 12 || ((await keptByThread()) <= 0 && rounds < 500)) {
    await Promise.all(keys.map((key) => put(drive, key, `${key} ${rounds}`)))
    rounds += 1
  }
  assert.ok((await keptByThread()) > 0)
  for (const key of keys) {
    const entries = (await drive.listVersions?.(bucket, { prefix: key, after: '' }).next(100)) ?? []
    const texts: (string | undefined)[] = []
    for (const { versionId } of entries as VersionEntry[]) {
      const object = await drive.open(bucket, key, { versionId })
      texts.push(object && (await readAll(object.read(0, object.size))))
      assert.equal(object?.attributes.etag, attributesOf(texts.at(-1) ?? '').etag)
      await object?.close()
    }
    const expected = Array.from({ length: rounds }, (_, round) => `${key} ${round}`)
    assert.deepEqual(texts, expected.reverse())
  }
  assert.deepEqual(leftovers(root), [])
  assert.deepEqual(fences(root), [])
})

test('the thread makes the folder of versions with the first one', { skip }, async (t) => {
  const versioning = { changes: [1_000_000] }
  const { drive, root, publish } = await openWithThread(t, () => versioning)
  const keys = ['a', 'b', 'c', 'd'].map((key) => `folder/${key}`)
  const putAll = (text: string) => Promise.all(keys.map((key) => put(drive, key, text)))
  await putAll('x')
  await put(drive, 'folder/a', 'y')
  const before = publish.mock.callCount()
  await putAll('z')
  const outcomes = await Promise.all(publish.mock.calls.slice(before).map(({ result }) => result))
  assert.deepEqual(
    outcomes.map((outcome) => outcome?.moved !== undefined),
    [true, true, true, true],
  )
  for (const key of keys) {
    const names = fs.readdirSync(`${root}/.bucketry/versions/${bucket}/${key}.%file`)
    assert.equal(names.length, key.endsWith('a') ? 2 : 1)
  }
  assert.deepEqual(fences(root), [])
})
