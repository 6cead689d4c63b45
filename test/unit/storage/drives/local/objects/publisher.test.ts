import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { thisProcess } from '../../../../../../src/platform/process/identity.ts'
import { OpenFolder } from '../../../../../../src/storage/drives/local/folders/open-folder.ts'
import { openLocalRoot } from '../../../../../../src/storage/drives/local/local-root.ts'
import { fenceOff } from '../../../../../../src/storage/drives/local/objects/fence.ts'
import { PacedFiles } from '../../../../../../src/storage/drives/local/objects/paced-files.ts'
import { until } from '../../../../../support/management-client.ts'
import { openFileCount } from '../../../../../support/open-files.ts'
import { MemoryRecords } from '../memory-records.ts'
import { attributesOf, bucket, get, openDrive, put } from '../open-drive.ts'
import { tempFolder } from '../temp-folder.ts'

test('publish rejects when its folder cannot be synced, and the object keeps its attributes', async (t) => {
  const { drive, records } = await openDrive(t)
  await put(drive, 'k', 'old')
  t.mock.method(OpenFolder.prototype, 'sync', async () => {
    throw Object.assign(new Error('no sync'), { code: 'EIO' })
  })
  await assert.rejects(put(drive, 'k', 'new'), { kind: 'unavailable' })
  assert.equal((await get(drive, 'k'))?.text, 'new')
  assert.equal(records.forgotten.length, 1, 'only the old version is forgotten')
  assert.equal((await get(drive, 'k'))?.etag, attributesOf('new').etag)
})

test('publish over an object at a cut alternative path leaves nothing of it', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const { drive, folder } = await openDrive(t)
  const key = 'n'.repeat(252)
  const openFiles = () => fs.readdirSync('/proc/self/fd').length
  const round = async () => {
    await put(drive, `${key}/below`, 'x')
    await put(drive, key, 'beside a folder')
    await drive.remove(bucket, `${key}/below`)
    await put(drive, key, 'alone')
    assert.equal((await get(drive, key))?.text, 'alone')
    assert.deepEqual(fs.readdirSync(folder), [key])
  }
  await round()
  const before = openFiles()
  for (let count = 0; count < 5; count++) await round()
  assert.equal(openFiles(), before)
})

test('publish uses a folder for cut names that another process creates at the same moment', async (t) => {
  const { drive } = await openDrive(t)
  const key = 'n'.repeat(252)
  await put(drive, `${key}/below`, 'x')
  const { openChild } = OpenFolder.prototype
  const made: string[] = []
  t.mock.method(OpenFolder.prototype, 'openChild', async function (this: OpenFolder, name: string) {
    const child = await openChild.call(this, name)
    if (child === undefined && made.length === 0) {
      made.push(name)
      fs.mkdirSync(this.at(name))
    }
    return child
  })
  await put(drive, key, 'beside a folder')
  assert.equal(made.length, 1)
  assert.equal((await get(drive, key))?.text, 'beside a folder')
})

test('remove succeeds even if its empty folder cannot be looked up', async (t) => {
  const records = new MemoryRecords()
  // The drive wraps the methods of its records when it opens.
  const lookUp = t.mock.method(records, 'isOwnFolder', async () => {
    throw new Error('no database')
  })
  const { drive, folder } = await openDrive(t, tempFolder(t), records)
  await put(drive, 'f/k', 'x')
  assert.equal((await drive.remove(bucket, 'f/k')) !== undefined, true)
  assert.deepEqual(fs.readdirSync(folder), ['f'])
  lookUp.mock.mockImplementation(async () => true)
  await put(drive, 'f/k', 'x')
  assert.equal((await drive.remove(bucket, 'f/k')) !== undefined, true)
  assert.deepEqual(fs.readdirSync(folder), [])
})

test('publish over a large object frees its blocks after the rename, in the thread pool', async (t) => {
  const { drive, folder } = await openDrive(t)
  const old = 'old'.repeat(500_000)
  await put(drive, 'k', old)
  const before = openFileCount()
  const freed: number[] = []
  const { close } = fs
  const closing = t.mock.method(fs, 'close', (fd: number, done: fs.NoParamCallback) => {
    const { size, nlink } = fs.fstatSync(fd)
    if (nlink === 0) freed.push(size)
    close(fd, done)
  })
  await put(drive, 'k', 'new')
  assert.equal((await get(drive, 'k'))?.text, 'new')
  assert.deepEqual(freed, [old.length])
  await until(() => openFileCount() === before)
  await put(drive, 'k', old)
  fs.chmodSync(join(folder, 'k'), 0)
  await put(drive, 'k', 'newer')
  assert.equal((await get(drive, 'k'))?.text, 'newer')
  await put(drive, 'k', old)
  const closed = closing.mock.callCount()
  const fail = () => {
    throw Object.assign(new Error('no rename'), { code: 'EIO' })
  }
  t.mock.method(fs, 'renameSync', fail)
  t.mock.method(fs.promises, 'rename', async () => fail())
  await assert.rejects(put(drive, 'k', 'last'))
  assert.equal((await get(drive, 'k'))?.text, old)
  assert.ok(closing.mock.callCount() > closed)
  await until(() => openFileCount() === before)
})

test('an object whose lock cannot be released keeps its attributes', async (t) => {
  const { drive, records } = await openDrive(t)
  await put(drive, 'k', 'old')
  const { unlinkSync } = fs
  const unlink = t.mock.method(fs, 'unlinkSync', (path: string) => {
    if (!path.includes('/locks/')) return unlinkSync(path)
    throw Object.assign(new Error('no unlink'), { code: 'EIO' })
  })
  await put(drive, 'k', 'new')
  unlink.mock.restore()
  const version = await get(drive, 'k')
  assert.deepEqual(version, { text: 'new', etag: attributesOf('new').etag })
  const kept = [...records.records.keys()].filter((one) => !records.forgotten.includes(one))
  assert.ok(kept.some((one) => records.records.get(one)?.json.includes(version?.etag ?? '')))
})

test('the event loop does not wait for the removal of a large file', async (t) => {
  const { drive, root, folder } = await openDrive(t)
  const unlinking = t.mock.method(fs, 'unlinkSync')
  const unlinked = () => unlinking.mock.calls.map(({ arguments: [path] }) => String(path))
  const large = Buffer.alloc(2 * 1024 * 1024)
  await put(drive, 'k', large.toString())
  await drive.remove(bucket, 'k')
  const draft = await drive.draft(bucket, 'aborted', { size: large.length })
  await draft.write(large)
  await draft.discard()
  assert.deepEqual(fs.readdirSync(folder), [])
  const temporary = join(root, '.bucketry', 'tmp')
  const [own = ''] = fs.readdirSync(temporary)
  const names = fs.readdirSync(join(temporary, own), { recursive: true }).sort()
  assert.match(names.join(' '), /^fence-[\w-]+ holder$/)
  const isObject = (path: string) => path.endsWith('/k') || path.includes('/.bucketry/tmp/')
  assert.deepEqual(unlinked().filter(isObject), [])
})

/** As on NFS: the call was carried out, but its reply was lost, and it was sent again. */
function loseReply(
  t: TestContext,
  name: 'rename' | 'link',
  code: string,
  isLost: (to: string) => boolean,
) {
  const { [name]: call } = PacedFiles.prototype
  t.mock.method(
    PacedFiles.prototype,
    name,
    async function (this: PacedFiles, from: string, to: string) {
      await call.call(this, from, to)
      if (isLost(to)) throw Object.assign(new Error('lost'), { code })
    },
  )
}

test('publish recognizes its object when the reply of the rename is lost', async (t) => {
  const { drive, records } = await openDrive(t)
  await put(drive, 'k', 'old')
  loseReply(t, 'rename', 'ENOENT', (to) => to.endsWith('/k'))
  await put(drive, 'k', 'new')
  assert.deepEqual(await get(drive, 'k'), { text: 'new', etag: attributesOf('new').etag })
  assert.equal(records.forgotten.length, 1, 'only the old version is forgotten')
})

test('publish recognizes its object when the reply of the link is lost', async (t) => {
  const { drive, records } = await openDrive(t)
  loseReply(t, 'link', 'EEXIST', (to) => to.endsWith('/k'))
  await put(drive, 'k', 'new', { ifNoneMatch: '*' })
  assert.deepEqual(await get(drive, 'k'), { text: 'new', etag: attributesOf('new').etag })
  assert.deepEqual(records.forgotten, [])
  await assert.rejects(put(drive, 'k', 'other', { ifNoneMatch: '*' }), { kind: 'condition' })
})

test('publish keeps the record of a file when it is not known whether it was published', async (t) => {
  const { drive, records } = await openDrive(t)
  const { lstat, rename } = PacedFiles.prototype
  let isAway = false
  t.mock.method(
    PacedFiles.prototype,
    'rename',
    async function (this: PacedFiles, from: string, to: string) {
      await rename.call(this, from, to)
      isAway = to.endsWith('/k')
      throw Object.assign(new Error('away'), { code: 'EIO' })
    },
  )
  t.mock.method(PacedFiles.prototype, 'lstat', async function (this: PacedFiles, path: string) {
    if (isAway) throw Object.assign(new Error('away'), { code: 'EIO' })
    return await lstat.call(this, path)
  })
  await assert.rejects(put(drive, 'k', 'new'), { kind: 'unavailable' })
  isAway = false
  assert.deepEqual(records.forgotten, [])
  assert.equal((await get(drive, 'k'))?.etag, attributesOf('new').etag)
})

test('a conditional removal fails when another process has taken over the lock', async (t) => {
  const { drive, root } = await openDrive(t)
  await put(drive, 'k', 'x')
  const ifMatch = [attributesOf('x').etag]
  const { rename } = PacedFiles.prototype
  const mocked = t.mock.method(
    PacedFiles.prototype,
    'rename',
    async function (this: PacedFiles, from: string, to: string) {
      fs.rmSync(join(to, '..'), { recursive: true })
      return await rename.call(this, from, to)
    },
  )
  await assert.rejects(drive.remove(bucket, 'k', { ifMatch }), { kind: 'busy' })
  mocked.mock.restore()
  assert.equal((await get(drive, 'k'))?.text, 'x')
  assert.equal((await drive.remove(bucket, 'k', { ifMatch })) !== undefined, true)
  assert.equal(await get(drive, 'k'), undefined)
  assert.deepEqual(fs.readdirSync(join(root, '.bucketry/locks')), [])
})

test('a removal whose rename lost its reply recognizes that it succeeded', async (t) => {
  const { drive, records } = await openDrive(t)
  for (const conditions of [undefined, { ifMatch: [attributesOf('x').etag] }]) {
    await put(drive, 'k', 'x')
    loseReply(t, 'rename', 'ENOENT', (to) => to.includes('/fence-'))
    assert.equal((await drive.remove(bucket, 'k', conditions)) !== undefined, true)
    t.mock.restoreAll()
    assert.equal(await get(drive, 'k'), undefined)
  }
  assert.equal(records.forgotten.length, 2)
})

test('a key below an object can be written after a crash while the object moved back', async (t) => {
  const { drive, folder } = await openDrive(t)
  await put(drive, 'k', 'x')
  await put(drive, 'k/below', 'y')
  const { rename } = PacedFiles.prototype
  // It is killed when the object has both names.
  const mocked = t.mock.method(
    PacedFiles.prototype,
    'rename',
    async function (this: PacedFiles, from: string, to: string) {
      if (from.endsWith('/k.%file')) throw Object.assign(new Error('killed'), { code: 'EIO' })
      return await rename.call(this, from, to)
    },
  )
  await drive.remove(bucket, 'k/below')
  mocked.mock.restore()
  assert.deepEqual(fs.readdirSync(folder), ['k', 'k.%file'])
  await put(drive, 'k/below', 'z')
  assert.deepEqual([(await get(drive, 'k'))?.text, (await get(drive, 'k/below'))?.text], ['x', 'z'])
})

test('requests that begin after a takeover succeed', async (t) => {
  const { drive, root, folder } = await openDrive(t)
  const localRoot = await openLocalRoot(root)
  for (const key of ['k', 'k/below']) {
    await put(drive, key, 'x')
    await fenceOff(thisProcess, localRoot)
  }
  assert.equal((await drive.remove(bucket, 'k/below')) !== undefined, true)
  await fenceOff(thisProcess, localRoot)
  assert.equal((await drive.remove(bucket, 'k')) !== undefined, true)
  assert.deepEqual(fs.readdirSync(folder), [])
  await drive.sweep?.()
  assert.deepEqual(fs.readdirSync(join(root, '.bucketry/tmp')), [encodeURIComponent(thisProcess)])
})
