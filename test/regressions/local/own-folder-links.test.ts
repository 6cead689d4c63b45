/**
 * Who may write to the drive's root exchanges one of the drive's own folders with a symbolic link while the gateway runs.
 * Nothing outside may be removed, created, listed or read.
 */
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { thisProcess } from '../../../src/platform/process/identity.ts'
import type { Drive } from '../../../src/storage/drives/drive.ts'
import { sweepLeftovers } from '../../../src/storage/drives/local/leftovers.ts'
import { LocalNotes } from '../../../src/storage/drives/local/local-notes.ts'
import { openLocalRoot } from '../../../src/storage/drives/local/local-root.ts'
import { probeFolder } from '../../../src/storage/drives/local/probe/probe-folder.ts'
import { SharedFolder } from '../../../src/storage/drives/local/probe/shared-folder.ts'
import { trashBucketOf } from '../../../src/storage/drives/trash-bucket.ts'
import {
  attributesOf,
  bucket,
  get,
  openDrive,
  put,
} from '../../unit/storage/drives/local/open-drive.ts'
import { tempFolder } from '../../unit/storage/drives/local/temp-folder.ts'

const [host] = thisProcess.split('/')
const dead = encodeURIComponent(`${host}/4194304/1`)
const process = encodeURIComponent(thisProcess)
const lock = 'd'.repeat(32)
const eightDaysMs = 8 * 24 * 60 * 60 * 1000
const target = { bucket, key: 'k' }
const trash = trashBucketOf(bucket)

/** What is below a folder: names, contents and times. */
function stateOf(folder: string) {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const { ino, mtimeMs, nlink } = fs.lstatSync(join(folder, name))
      return { name, ino, mtimeMs, nlink }
    })
}

/** A folder outside of the drive that has what jobs look for in each of the drive's own folders. */
function makeOutside(t: TestContext): string {
  const outside = tempFolder(t)
  const files = [
    ...[`tmp/${dead}/1`, `tmp/${dead}/fence/2`, `tmp/${process}/3`, `uploads/known/data`],
    ...[`uploads/gone/data`, `uploads/gone/parts/data`, `locks/${lock}`, `removed/${bucket}`],
    ...[`trash/${bucket}/k`, 'owner.json', 'buckets.json', 'alive.json', '1', '3', 'data'],
    ...['parts/data', 'gone/data', `${dead}/1`, `${process}/1`, lock, `${bucket}/k`],
  ]
  for (const name of files) {
    fs.mkdirSync(join(outside, name, '..'), { recursive: true })
    fs.writeFileSync(join(outside, name), `${host}/4194304/1`)
  }
  const note = { bucket, key: 'journal/k', making: [`${bucket}/journal`] }
  for (const name of [`tmp/${dead}`, dead, '.']) {
    fs.writeFileSync(join(outside, name, '9.folders'), `${JSON.stringify(note)}\n`)
  }
  fs.mkdirSync(join(outside, 'empty'))
  return outside
}

async function scene(t: TestContext) {
  const { drive, root } = await openDrive(t)
  const own = join(root, '.bucketry')
  const outside = makeOutside(t)
  await put(drive, 'old', 'old')
  await drive.addBucket(trash)
  const upload = await drive.uploads.begin('gone', target)
  const localRoot = await openLocalRoot(root)
  for (const name of [dead, `${dead}.former-1`]) {
    fs.mkdirSync(join(own, 'tmp', name, 'fence'), { recursive: true })
    fs.writeFileSync(join(own, 'tmp', name, 'fence/1'), 'x')
  }
  const note = { bucket, key: 'inside/k', making: [] }
  fs.writeFileSync(join(own, 'tmp', dead, '9.folders'), `${JSON.stringify(note)}\n`)
  fs.writeFileSync(join(own, 'locks', lock), `${host}/4194304/1`)
  fs.mkdirSync(join(own, 'removed'), { recursive: true })
  fs.writeFileSync(join(own, 'removed/other'), '')
  const before = stateOf(outside)
  /** Puts a link in the place of a folder of the drive's own. */
  const exchange = (name: string, to = join(outside, name)) => {
    const path = join(own, name)
    fs.renameSync(path, `${path}.away`)
    fs.symlinkSync(fs.existsSync(to) ? to : outside, path)
  }
  const requireUntouched = (message: string) => {
    assert.deepEqual(stateOf(outside), before, message)
  }
  return { drive, root, localRoot, own, outside, upload, exchange, requireUntouched }
}

type Scene = Awaited<ReturnType<typeof scene>>

async function sweepAll({ localRoot, exchange }: Scene, midway?: string): Promise<void> {
  await sweepLeftovers({
    root: localRoot,
    nowMs: Date.now() + eightDaysMs,
    tidyFolders: async ({ key }) => {
      assert.equal(key, 'inside/k', 'a journal outside was read')
      if (midway !== undefined) exchange(midway)
      midway = undefined
    },
    forget: () => undefined,
  })
}

async function sweepUploads({ drive, exchange }: Scene, midway?: string): Promise<void> {
  const isKnown = async (id: string) => {
    assert.equal(id, 'gone')
    if (midway !== undefined) exchange(midway)
    return false
  }
  await drive.uploads.sweep(isKnown, -60_000)
}

async function append(drive: Drive, state: string, offset: number): Promise<string> {
  const part = await drive.uploads.append(state, { offset })
  await part.write(Buffer.from('bytes'))
  return await part.commit()
}

/** Each may fail, because the drive is damaged. */
const jobs: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  'sweep of uploads': sweepUploads,
  'sweep of leftovers': sweepAll,
  'sweep of the drive': async ({ drive }) => drive.sweep?.(),
  'new object': ({ drive }) => put(drive, 'new', 'x'),
  'objects at once': ({ drive }) =>
    Promise.all(Array.from({ length: 20 }, (_, index) => put(drive, `at-once/${index}`, 'x'))),
  'large object': ({ drive }) => put(drive, 'large', 'x'.repeat(300_000)),
  'conditional write': ({ drive }) => put(drive, 'once', 'x', { ifNoneMatch: '*' }),
  overwrite: ({ drive }) => put(drive, 'old', 'new'),
  removal: ({ drive }) => drive.remove(bucket, 'old'),
  copy: async ({ drive }) =>
    drive.copy?.({ bucket, key: 'old', etag: attributesOf('old').etag }, target, {
      attributes: attributesOf('old'),
    }),
  tags: async ({ drive }) => drive.setAttributes?.(bucket, 'old', { tags: { a: 'b' } }),
  'trash of an object': async ({ drive }) =>
    drive.copy?.(
      { bucket, key: 'old', etag: attributesOf('old').etag },
      { bucket: trash, key: 'old' },
      { attributes: attributesOf('old'), isMove: true },
    ),
  'bucket of the trash': ({ drive }) => drive.addBucket(trashBucketOf('second')),
  'removal of the trash': ({ drive }) => drive.removeBucket(trash),
  'removal of a bucket': ({ drive }) => drive.removeBucket('empty'),
  'begin of an upload': ({ drive }) => drive.uploads.begin('new', target),
  'begin of parts in any order': ({ drive }) =>
    drive.uploads.begin('any', target, { anyOrder: true }),
  'part of an upload': ({ drive, upload }) => append(drive, upload, 0),
  'complete of an upload': async ({ drive, upload }) =>
    drive.uploads.complete(await append(drive, upload, 0), {
      ...{ target, size: 5, attributes: attributesOf('bytes') },
    }),
  'takeover of an upload': async ({ drive, upload }) =>
    drive.uploads.takeOver?.(upload, { isDead: false }),
  'abort of an upload': ({ drive, upload }) => drive.uploads.abort(upload),
  'check of writes': ({ drive }) => drive.check('writes'),
  'new note': ({ root }) => new LocalNotes(root).create('buckets', 'x'),
  'written note': ({ root }) => new LocalNotes(root).write('alive', 'x'),
  'read note': async ({ root }) => {
    assert.equal(await new LocalNotes(root).read('owner'), undefined)
  },
  'probe of the file system': ({ localRoot }) =>
    probeFolder(localRoot, `${localRoot.folders.at('tmp')}/${process}`),
  'shared probe': async ({ root }) => {
    const folder = await SharedFolder.at(root, thisProcess, 'shared-1')
    await folder?.create()
    await folder?.remove()
    await folder?.close()
  },
  'start of another process': async ({ root }) => await openLocalRoot(root),
}

const folders = ['.', 'tmp', 'uploads', 'locks', 'removed', 'trash']

for (const [name, job] of Object.entries(jobs)) {
  test(`${name}: no link in the place of an own folder is followed`, async (t) => {
    for (const folder of folders) {
      const opened = await scene(t)
      opened.exchange(folder === '.' ? '../.bucketry' : folder, join(opened.outside, folder))
      await job(opened).catch((error: unknown) => {
        if (error instanceof assert.AssertionError) throw error
      })
      opened.requireUntouched(folder)
    }
  })
}

/** Folders further down are exchanged while a sweep is about to remove them, or before it. */
const inner = [`tmp/${dead}`, `tmp/${dead}/fence`, 'tmp', 'removed', 'locks']
for (const folder of inner) {
  test(`a sweep of leftovers stays inside when ${folder.replace(dead, 'PROCESS')} is exchanged meanwhile`, async (t) => {
    const opened = await scene(t)
    await sweepAll(opened, folder).catch(() => undefined)
    opened.requireUntouched(folder)
  })
}
for (const folder of ['uploads/gone', 'uploads', '../.bucketry']) {
  for (const when of ['before', 'meanwhile']) {
    test(`a sweep of uploads stays inside when ${folder} is exchanged ${when}`, async (t) => {
      const opened = await scene(t)
      if (when === 'before') opened.exchange(folder, opened.outside)
      await sweepUploads(opened, when === 'meanwhile' ? folder : undefined)
      opened.requireUntouched(folder)
    })
  }
}

test('sweeps remove only what has a name of their own form', async (t) => {
  const opened = await scene(t)
  const foreign = ['uploads/not an ID', 'tmp/folder', 'tmp/x.former-1', 'locks/file', 'removed/a b']
  for (const name of foreign) {
    fs.mkdirSync(join(opened.own, name))
    fs.writeFileSync(join(opened.own, name, 'file'), '')
  }
  await sweepAll(opened)
  await sweepUploads(opened)
  for (const name of foreign) assert.ok(fs.existsSync(join(opened.own, name, 'file')), name)
  for (const name of [`tmp/${dead}`, `locks/${lock}`, 'removed/other', 'uploads/gone']) {
    assert.equal(fs.existsSync(join(opened.own, name)), false, name)
  }
})

test('a drive uses its own folder again once it is back at its path', async (t) => {
  const { drive, own, exchange, upload } = await scene(t)
  exchange('../.bucketry')
  await assert.rejects(put(drive, 'new', 'x'), { name: 'DriveError' })
  fs.unlinkSync(own)
  fs.renameSync(`${own}.away`, own)
  await put(drive, 'new', 'x')
  assert.equal((await get(drive, 'new'))?.text, 'x')
  await drive.uploads.complete(await append(drive, upload, 0), {
    ...{ target, size: 5, attributes: attributesOf('bytes') },
  })
  assert.equal((await get(drive, 'k'))?.text, 'bytes')
})
