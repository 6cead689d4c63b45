import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { livenessOf, thisProcess } from '../../../../../src/platform/process/identity.ts'
import { openLocalDrive } from '../../../../../src/storage/drives/local/local-drive.ts'
import { MemoryRecords } from './memory-records.ts'
import { bucket, log, openDrive, put } from './open-drive.ts'
import { tempFolder } from './temp-folder.ts'

const canMount = process.platform === 'linux' && process.getuid?.() === 0
const start = async (root: string, buckets: readonly string[]) => {
  const drive = await openLocalDrive({ root, records: new MemoryRecords(), log })
  await drive.prepare(buckets).finally(() => drive.close())
}

test('prepare creates missing folders and leaves existing ones alone', async (t) => {
  const root = join(tempFolder(t), 'new', 'drive')
  await start(root, ['a', 'b'])
  fs.writeFileSync(join(root, 'a', 'k'), 'x')
  await start(root, ['a', 'b', 'c'])
  assert.deepEqual(fs.readdirSync(root).sort(), ['.bucketry', 'a', 'b', 'c'])
  assert.equal(fs.readFileSync(join(root, 'a', 'k'), 'utf8'), 'x')
})

test('prepare works on a root that is reached through a symbolic link', async (t) => {
  const folder = tempFolder(t)
  fs.mkdirSync(join(folder, 'real'))
  fs.symlinkSync('real', join(folder, 'link'))
  const { drive } = await openDrive(t, join(folder, 'link'))
  await put(drive, 'a/b', 'x')
  assert.equal(fs.readFileSync(join(folder, 'real', bucket, 'a', 'b'), 'utf8'), 'x')
})

test('prepare refuses a bucket that is a file or a symbolic link', async (t) => {
  const root = tempFolder(t)
  fs.writeFileSync(join(root, 'file'), '')
  fs.symlinkSync(tempFolder(t), join(root, 'link'))
  await assert.rejects(start(root, ['link']), { kind: 'denied', message: /link is not a folder/ })
  await assert.rejects(start(root, ['file']), { name: 'DriveError' })
})

test('openLocalDrive refuses when its own folder is a symbolic link', async (t) => {
  const root = tempFolder(t)
  fs.symlinkSync(tempFolder(t), join(root, '.bucketry'))
  await assert.rejects(start(root, []), { kind: 'denied' })
})

test('prepare refuses a bucket on another file system', {
  skip: canMount ? false : 'only root may mount one',
}, async (t) => {
  const root = tempFolder(t)
  const path = join(root, 'other')
  fs.mkdirSync(path)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path])
  try {
    await assert.rejects(start(root, ['other']), { kind: 'denied', message: /another file system/ })
  } finally {
    execFileSync('umount', ['--lazy', path])
  }
})

test('prepare removes only the leftovers of dead processes', async (t) => {
  const root = tempFolder(t)
  await start(root, [])
  const temporary = join(root, '.bucketry', 'tmp')
  const [host] = thisProcess.split('/')
  const dead = `${host}/4194304/1`
  assert.equal(livenessOf(dead), 'dead')
  const names = {
    dead,
    alive: `${host}/${process.ppid}/`,
    elsewhere: 'other-host/1/1',
    old: 'old/1/1',
  }
  const alive = names.alive + fs.readFileSync(`/proc/${process.ppid}/stat`, 'latin1').split(' ')[21]
  for (const name of [names.dead, alive, names.elsewhere, names.old]) {
    const folder = join(temporary, encodeURIComponent(name))
    fs.mkdirSync(folder)
    fs.writeFileSync(join(folder, '1'), 'left')
  }
  await start(root, [])
  assert.deepEqual(
    fs.readdirSync(temporary).sort(),
    [alive, names.elsewhere, names.old, thisProcess].map(encodeURIComponent).sort(),
  )
})

test('the records of drafts of dead processes are forgotten', async (t) => {
  const { drive, root, records } = await openDrive(t)
  const [host] = thisProcess.split('/')
  const folder = join(root, '.bucketry/tmp', encodeURIComponent(`${host}/4194304/1`))
  fs.mkdirSync(folder)
  const file = join(folder, '1')
  fs.writeFileSync(file, 'saved, but not published')
  const { ino } = fs.lstatSync(file)
  // One that has a name elsewhere is an object.
  fs.writeFileSync(join(folder, '2'), 'linked')
  fs.linkSync(join(folder, '2'), join(root, 'linked'))
  fs.mkdirSync(join(folder, '3'))
  fs.symlinkSync(root, join(folder, '4'))
  await drive.sweep?.()
  assert.equal(fs.existsSync(folder), false)
  assert.deepEqual(
    records.forgotten.map((identity) => Number(identity.split(':')[0])),
    [ino],
  )
})

test('a sweep after a kill reads no folder of a bucket', async (t) => {
  const { drive, root, records } = await openDrive(t)
  await put(drive, 'a/k', 'x')
  // Two records of one path: that of the replaced file was left.
  await records.save(
    { identity: 'old', path: `${bucket}/a/k`, size: 1, modifiedAtMs: 1, json: '{}' },
    [],
  )
  const [host] = thisProcess.split('/')
  fs.mkdirSync(join(root, '.bucketry/tmp', encodeURIComponent(`${host}/4194304/1`)))
  await drive.sweep?.()
  const { now } = performance
  t.mock.method(performance, 'now', () => now.call(performance) + 60 * 60_000)
  const read: string[] = []
  for (const call of ['readdir', 'lstat'] as const) {
    const real = fs.promises[call] as (...given: unknown[]) => Promise<unknown>
    t.mock.method(fs.promises, call, (...given: unknown[]) => {
      read.push(String(given[0]))
      return real(...given)
    })
  }
  await drive.sweep?.()
  assert.notEqual(read.length, 0)
  assert.deepEqual(
    read.filter((path) => path.includes(bucket)),
    [],
  )
})

test('the drive is unavailable, not empty, without its own folder', async (t) => {
  const { drive, root } = await openDrive(t)
  await put(drive, 'a/b', 'x')
  // As when the file system is no longer mounted.
  fs.renameSync(join(root, '.bucketry'), `${root}.bucketry`)
  fs.renameSync(join(root, bucket), `${root}.bucket`)
  t.after(() => {
    for (const name of ['.bucketry', '.bucket']) fs.rmSync(root + name, { recursive: true })
  })
  const unavailable = { kind: 'unavailable' }
  await assert.rejects(drive.check(), unavailable)
  await assert.rejects(async () => drive.head(bucket, 'a/b'), unavailable)
  await assert.rejects(async () => drive.open(bucket, 'a/b'), unavailable)
  await assert.rejects(put(drive, 'a/b', 'x'), { name: 'DriveError' })
  await assert.rejects(drive.remove(bucket, 'a/b'), { name: 'DriveError' })
  await assert.rejects(drive.list(bucket, { prefix: '', after: '' }).next(1), unavailable)
  assert.deepEqual(fs.readdirSync(root), [])
})

test('a bucket whose folder was removed by hand is empty and is created again', async (t) => {
  const { drive, folder } = await openDrive(t)
  await put(drive, 'a/b', 'x')
  fs.rmSync(folder, { recursive: true })
  assert.equal(await drive.head(bucket, 'a/b'), undefined)
  assert.deepEqual(await drive.list(bucket, { prefix: '', after: '' }).next(1), [])
  await put(drive, 'a/b', 'y')
  assert.equal(fs.readFileSync(join(folder, 'a', 'b'), 'utf8'), 'y')
})

test('temporary folders removed by hand are created again', async (t) => {
  const { drive, root } = await openDrive(t)
  for (const name of ['tmp', 'locks', 'uploads']) {
    fs.rmSync(join(root, '.bucketry', name), { recursive: true })
  }
  await put(drive, 'k', 'x')
  const draft = await drive.draft(bucket, 'large', {})
  await draft.write(Buffer.alloc(100_000))
  await draft.discard()
  await drive.uploads.begin('u', { bucket, key: 'k' })
  await drive.check()
})

test("prepare finishes a dead process's changes to folders", async (t) => {
  const { drive, root, folder, records } = await openDrive(t)
  for (const key of ['own/deep/k', 'stays/k']) await put(drive, key, 'x')
  fs.unlinkSync(join(folder, 'own/deep/k'))
  fs.mkdirSync(join(folder, 'stays/made/half'), { recursive: true })
  fs.mkdirSync(join(folder, 'by-hand'))
  const [host] = thisProcess.split('/')
  const dead = join(root, '.bucketry', 'tmp', encodeURIComponent(`${host}/4194304/1`))
  fs.mkdirSync(dead)
  const making = [`${bucket}/stays/made`, `${bucket}/stays/made/half`]
  const notes = [
    { bucket, key: 'own/deep/k', making: [] },
    { bucket, key: 'by-hand/k', making: [] },
    { bucket, key: 'stays/made/half/k', making },
  ]
  const lines = notes.map((note) => `${JSON.stringify(note)}\n`).join('')
  fs.writeFileSync(join(dead, '7.folders'), `${lines}{"bucket":"al`)
  await openDrive(t, root, records)
  assert.deepEqual(fs.readdirSync(folder).sort(), ['by-hand', 'stays'])
  assert.deepEqual(fs.readdirSync(join(folder, 'stays')), ['k'])
  assert.equal(fs.existsSync(dead), false)
})

test('a failed publish leaves no folder behind', async (t) => {
  const { drive, folder } = await openDrive(t)
  await assert.rejects(put(drive, 'new/deep/k', 'x', { ifMatch: '*' }), { kind: 'not-found' })
  assert.deepEqual(fs.readdirSync(folder), [])
})

test('prepare removes folders whose creation or removal a dead process left unfinished', async (t) => {
  const root = tempFolder(t)
  await (await openDrive(t, root)).drive.close()
  const [host] = thisProcess.split('/')
  const dead = join(root, '.bucketry', 'tmp', encodeURIComponent(`${host}/4194304/1`))
  fs.mkdirSync(dead)
  const making = [`${bucket}/deep`, `${bucket}/deep/er`]
  fs.writeFileSync(
    join(dead, '1.folders'),
    `${JSON.stringify({ bucket, key: 'deep/er/k', making })}\n`,
  )
  fs.mkdirSync(join(root, bucket, 'deep'))
  await openDrive(t, root)
  assert.deepEqual(fs.readdirSync(join(root, bucket)), [])
})
