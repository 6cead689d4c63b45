import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { attributesOf, bucket, get, listKeys, openDrive, put } from './open-drive.ts'
import { tempFolder } from './temp-folder.ts'

/** A drive with symbolic links to a folder and a file outside of it. */
async function openTrap(t: TestContext) {
  const outside = tempFolder(t)
  fs.writeFileSync(join(outside, 'secret'), 'secret')
  fs.mkdirSync(join(outside, 'empty'))
  const opened = await openDrive(t)
  fs.symlinkSync(outside, join(opened.folder, 'out'))
  fs.symlinkSync(join(outside, 'secret'), join(opened.folder, 'file'))
  fs.mkdirSync(join(opened.folder, 'inner'))
  fs.symlinkSync('../inner', join(opened.folder, 'inner', 'loop'))
  return { ...opened, outside }
}

test('reading never follows a symbolic link', async (t) => {
  const { drive } = await openTrap(t)
  for (const key of ['out/secret', 'file', 'inner/loop/x', 'out/../file', 'out']) {
    assert.equal(await drive.head(bucket, key), undefined, key)
    assert.equal(await drive.open(bucket, key), undefined, key)
  }
  assert.deepEqual(await listKeys(drive), [])
  for (const prefix of ['out/', 'out/empty/', 'inner/loop/']) {
    assert.deepEqual(await drive.list(bucket, { prefix, after: '' }).next(10), [], prefix)
  }
  const folders = await drive.list(bucket, { prefix: '', after: '', delimiter: '/' }).next(10)
  assert.deepEqual(folders, [{ kind: 'folder', key: 'inner/' }])
})

test('writing through a symbolic link, or in its place, is denied', async (t) => {
  const { drive, outside, folder } = await openTrap(t)
  for (const key of [
    'out/secret',
    'out/new',
    'out/empty/new',
    'file',
    'file/below',
    'inner/loop/x',
  ]) {
    await assert.rejects(put(drive, key, 'x'), { kind: 'denied' }, key)
    await assert.rejects(put(drive, key, 'x', { ifNoneMatch: '*' }), { kind: 'denied' }, key)
  }
  assert.deepEqual(fs.readdirSync(outside).sort(), ['empty', 'secret'])
  assert.deepEqual(fs.readdirSync(join(outside, 'empty')), [])
  assert.equal(fs.readFileSync(join(outside, 'secret'), 'utf8'), 'secret')
  assert.ok(fs.lstatSync(join(folder, 'file')).isSymbolicLink())
})

test('removing a symbolic link, or through one, removes nothing', async (t) => {
  const { drive, outside, folder } = await openTrap(t)
  for (const key of ['out/secret', 'out/empty/x', 'file', 'out']) {
    assert.equal((await drive.remove(bucket, key)) !== undefined, false, key)
  }
  assert.deepEqual(fs.readdirSync(outside).sort(), ['empty', 'secret'])
  assert.ok(fs.lstatSync(join(folder, 'file')).isSymbolicLink())
})

test('copying never reads through a symbolic link', async (t) => {
  const { drive } = await openTrap(t)
  const source = { bucket, key: 'out/secret', etag: '0'.repeat(32) }
  const attributes = attributesOf('')
  assert.equal(await drive.copy?.(source, { bucket, key: 'k' }, { attributes }), undefined)
})

test('devices, FIFOs and sockets are not objects, and are left alone', async (t) => {
  const { drive, folder } = await openDrive(t)
  execFileSync('mkfifo', [join(folder, 'fifo')])
  const server = net.createServer().listen(join(folder, 'socket'))
  t.after(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  for (const key of ['fifo', 'socket']) {
    assert.equal(await drive.open(bucket, key), undefined)
    assert.equal(await drive.head(bucket, key), undefined)
    assert.equal((await drive.remove(bucket, key)) !== undefined, false)
    await assert.rejects(put(drive, key, 'x'), { kind: 'denied' })
    await assert.rejects(put(drive, `${key}/below`, 'x'), { kind: 'denied' })
  }
  assert.deepEqual(await listKeys(drive), [])
  assert.deepEqual(fs.readdirSync(folder).sort(), ['fifo', 'socket'])
})

test('a folder replaced by a symbolic link does not lead writes out of the root', async (t) => {
  const { drive, folder } = await openDrive(t)
  const outside = tempFolder(t)
  let isDone = false
  /** The drive may create the folder at a moment when nothing is there. */
  const place = (put: () => void) => {
    try {
      put()
    } catch (error) {
      assert.match(String((error as NodeJS.ErrnoException).code), /EEXIST|ENOTEMPTY/)
      fs.rmSync(join(folder, 'f'), { recursive: true, force: true })
      place(put)
    }
  }
  /** Creates the folder if the drive removed it as an empty one of its own. */
  const takeAside = () => {
    fs.mkdirSync(join(folder, 'f'), { recursive: true })
    fs.renameSync(join(folder, 'f'), join(folder, 'aside'))
  }
  const swap = async () => {
    while (!isDone) {
      takeAside()
      place(() => fs.symlinkSync(outside, join(folder, 'f')))
      await new Promise((resolve) => setImmediate(resolve))
      fs.unlinkSync(join(folder, 'f'))
      place(() => fs.renameSync(join(folder, 'aside'), join(folder, 'f')))
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const swapping = swap()
  for (let round = 0; round < 100; round++) {
    await put(drive, `f/k${round}`, 'x').catch((error: unknown) => assert.ok(error))
    await get(drive, `f/k${round}`)
    await drive.remove(bucket, `f/k${round}`)
  }
  isDone = true
  await swapping
  assert.deepEqual(fs.readdirSync(outside), [])
})

test('a bucket of another name than its key can reach is safe', async (t) => {
  const { drive, root } = await openDrive(t)
  fs.writeFileSync(join(root, 'top'), 'not in a bucket')
  for (const key of ['../top', '..', '../../etc/passwd', '/etc/passwd', './../top']) {
    assert.equal(await drive.open(bucket, key), undefined, key)
    await put(drive, key, 'x')
    assert.equal((await get(drive, key))?.text, 'x')
  }
  assert.equal(fs.readFileSync(join(root, 'top'), 'utf8'), 'not in a bucket')
  assert.deepEqual(fs.readdirSync(root).sort(), ['.bucketry', bucket, 'top'])
})
