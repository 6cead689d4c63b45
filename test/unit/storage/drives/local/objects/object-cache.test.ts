import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Drive, OpenObject } from '../../../../../../src/storage/drives/drive.ts'
import { openLocalDrive } from '../../../../../../src/storage/drives/local/local-drive.ts'
import { openLocalRoot } from '../../../../../../src/storage/drives/local/local-root.ts'
import { localPathOf } from '../../../../../../src/storage/drives/local/object-path.ts'
import { identityOf } from '../../../../../../src/storage/drives/local/objects/file-identity.ts'
import {
  ContentCache,
  ObjectCache,
} from '../../../../../../src/storage/drives/local/objects/object-cache.ts'
import { until } from '../../../../../support/management-client.ts'
import { openFileCount } from '../../../../../support/open-files.ts'
import { attributesOf, bucket, get, log, openDrive, put, readAll } from '../open-drive.ts'
import { tempFolder } from '../temp-folder.ts'

/** A drive with an object `dir/k` that was read once. */
async function openSeen(t: TestContext, text = 'text') {
  const opened = await openDrive(t)
  await put(opened.drive, 'dir/k', text)
  await get(opened.drive, 'dir/k')
  return { ...opened, path: join(opened.folder, 'dir/k') }
}

/**
 * Writes `path` by hand, more than a tick of the file system's clock later than `than` changed.
 * Sooner, it would look like a change of tags, or like a restored file (file-identity.ts).
 */
function writeLater(path: string, text: string, than = path): void {
  const { mtimeMs, ctimeMs } = fs.statSync(than)
  do fs.writeFileSync(path, text)
  while (fs.statSync(path).ctimeMs <= Math.max(mtimeMs, ctimeMs) + 2)
}

/** Opens the object synchronously; retries while the disk seems slow, as on a busy machine. */
async function openAtOnce(drive: Drive, key: string): Promise<OpenObject> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const opening = drive.open(bucket, key)
    if (!(opening instanceof Promise)) return opening
    await (await opening)?.close()
    await setTimeout(100)
  }
  assert.fail(`${key} is never given at once`)
}

test('open returns a small object synchronously when it was read before', async (t) => {
  const { drive } = await openSeen(t)
  const object = await openAtOnce(drive, 'dir/k')
  assert.equal(Buffer.from(object.content ?? []).toString(), 'text')
  assert.deepEqual(object.attributes, attributesOf('text'))
  assert.equal(object.size, 4)
  assert.equal(await readAll(object.read(1, 3)), 'ex')
  assert.equal(await readAll(object.read(2, 2)), '')
  await object.close()
  assert.equal(await readAll(object.read(0, 4)), '')
})

test('open returns an empty object synchronously, but not yet one with many bytes, or large attributes', async (t) => {
  const { drive } = await openSeen(t, '')
  assert.equal((await openAtOnce(drive, 'dir/k')).size, 0)
  await put(drive, 'large', 'x'.repeat(64 * 1024 + 1))
  const draft = await drive.draft(bucket, 'dressed', {})
  await draft.publish({ ...attributesOf(''), headers: { 'cache-control': 'x'.repeat(2048) } })
  for (const key of ['large', 'dressed']) {
    await get(drive, key)
    const opening = drive.open(bucket, key)
    assert.ok(opening instanceof Promise, key)
    await (await opening)?.close()
  }
})

test('head of an object that was opened before notices every change of its file', async (t) => {
  const { drive, root, records, path } = await openSeen(t)
  const other = await openLocalDrive({ root, records, log })
  t.after(() => other.close())
  const large = 'x'.repeat(100_000)
  const etagOf = async () => (await drive.head(bucket, 'dir/k'))?.attributes.etag
  assert.equal(await etagOf(), attributesOf('text').etag)
  await put(other, 'dir/k', large)
  for (const _ of [1, 2]) assert.equal(await etagOf(), attributesOf(large).etag)
  fs.appendFileSync(path, 'y')
  assert.notEqual(await etagOf(), attributesOf(large).etag)
  assert.equal((await drive.head(bucket, 'dir/k'))?.size, 100_001)
  fs.rmSync(path)
  assert.equal(await drive.head(bucket, 'dir/k'), undefined)
  fs.symlinkSync('/etc/passwd', path)
  assert.equal(await drive.head(bucket, 'dir/k'), undefined)
  fs.rmSync(path)
  await put(drive, 'dir/k', 'text')
  assert.equal(await etagOf(), attributesOf('text').etag)
})

test('open notices that an object was changed or removed since it was read', async (t) => {
  const { drive, root, records, path } = await openSeen(t)
  const other = await openLocalDrive({ root, records, log })
  t.after(() => other.close())
  const { mtime } = fs.statSync(path)
  await put(other, 'dir/k', 'overwritten by another process')
  assert.equal((await get(drive, 'dir/k'))?.text, 'overwritten by another process')
  fs.writeFileSync(path, 'edited')
  assert.equal((await get(drive, 'dir/k'))?.text, 'edited')
  fs.unlinkSync(path)
  fs.writeFileSync(path, 'another')
  fs.utimesSync(path, mtime, mtime)
  assert.equal((await get(drive, 'dir/k'))?.text, 'another')
  await other.remove(bucket, 'dir/k')
  assert.equal(await get(drive, 'dir/k'), undefined)
})

test('open finds the file that replaced an object that was read before', async (t) => {
  const things: Record<string, (path: string, outside: string) => void> = {
    'a link to a file': (path, outside) => fs.symlinkSync(join(outside, 'k'), path),
    'a folder': (path) => fs.mkdirSync(path),
    'a FIFO': (path) => execFileSync('mkfifo', [path]),
  }
  for (const [name, make] of Object.entries(things)) {
    const { drive, path } = await openSeen(t)
    const outside = tempFolder(t)
    fs.writeFileSync(join(outside, 'k'), 'else')
    fs.unlinkSync(path)
    make(path, outside)
    assert.equal(await get(drive, 'dir/k'), undefined, name)
  }
})

test('open follows no symbolic link put in the path of an object that was read before', async (t) => {
  const { drive, folder, path } = await openSeen(t)
  const outside = tempFolder(t)
  const { atime, mtime } = fs.statSync(path)
  fs.writeFileSync(join(outside, 'k'), 'else')
  fs.utimesSync(join(outside, 'k'), atime, mtime)
  fs.renameSync(join(folder, 'dir'), join(folder, 'aside'))
  fs.symlinkSync(outside, join(folder, 'dir'))
  assert.equal(await get(drive, 'dir/k'), undefined)
  fs.unlinkSync(join(folder, 'dir'))
  fs.renameSync(join(folder, 'aside'), join(folder, 'dir'))
  assert.equal((await get(drive, 'dir/k'))?.text, 'text')
})

test('open uses the file at the alternative path only while there is no other', async (t) => {
  const { drive, folder } = await openSeen(t)
  await put(drive, 'dir', 'beside its folder')
  for (let round = 0; round < 2; round++) {
    assert.equal((await get(drive, 'dir'))?.text, 'beside its folder')
  }
  fs.rmSync(join(folder, 'dir'), { recursive: true })
  fs.writeFileSync(join(folder, 'dir'), 'by hand')
  assert.equal((await get(drive, 'dir'))?.text, 'by hand')
})

test('open leaves no descriptor open for an object that was read before', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const { drive, path } = await openSeen(t)
  const before = openFileCount()
  for (let round = 0; round < 50; round++) {
    await get(drive, 'dir/k')
    await get(drive, 'dir/k')
    fs.writeFileSync(path, `round ${round}`)
    const object = await drive.open(bucket, 'dir/k')
    await object?.close()
  }
  assert.equal(openFileCount(), before)
})

test('open caches many objects and drops the oldest', async (t) => {
  const { drive, folder } = await openSeen(t)
  for (let number = 0; number < 9_000; number++) {
    fs.writeFileSync(join(folder, `k${number}`), 'x')
    const object = await drive.open(bucket, `k${number}`)
    await object?.close()
    if (number === 4_000) await openAtOnce(drive, 'dir/k')
  }
  await openAtOnce(drive, 'k8999')
  const oldest = drive.open(bucket, 'k0')
  assert.ok(oldest instanceof Promise)
  await (await oldest)?.close()
})

const megabyte = 'abcdefgh'.repeat(128 * 1024)

/** A drive with a large object `dir/k` whose file it keeps open. */
async function openHeld(t: TestContext) {
  const opened = await openSeen(t, megabyte)
  await get(opened.drive, 'dir/k')
  await (await openAtOnce(opened.drive, 'dir/k')).close()
  return opened
}

test('open keeps a large object that is read often open, and reads ranges at once', async (t) => {
  const { drive } = await openHeld(t)
  const object = await openAtOnce(drive, 'dir/k')
  let bytes: Uint8Array | undefined
  await until(() => {
    bytes = object.readNow?.(9, 12)
    return bytes !== undefined
  })
  assert.equal(Buffer.from(bytes ?? []).toString(), 'bcd')
  assert.equal(object.readNow?.(object.size - 8, object.size + 1), undefined)
  await object.close()
  assert.equal(object.readNow?.(0, 8), undefined)
  assert.deepEqual(await get(drive, 'dir/k'), {
    text: megabyte,
    etag: attributesOf(megabyte).etag,
  })
})

test('open never returns a kept file after another program changed the object', async (t) => {
  const next = `x${megabyte.slice(1)}`
  const changes: Record<string, (path: string) => void> = {
    'replaced by a file of the same size': (path) => {
      writeLater(`${path}.new`, next, path)
      fs.renameSync(`${path}.new`, path)
    },
    'edited in place': (path) => writeLater(path, next),
    'replaced by a link to the same bytes': (path) => {
      fs.renameSync(path, `${path}.moved`)
      fs.symlinkSync(`${path}.moved`, path)
    },
    deleted: (path) => fs.unlinkSync(path),
  }
  for (const [name, change] of Object.entries(changes)) {
    const { drive, path } = await openHeld(t)
    const reading = await openAtOnce(drive, 'dir/k')
    change(path)
    const now = await get(drive, 'dir/k')
    const isGone = fs.lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true
    assert.equal(now?.text, isGone ? undefined : next, name)
    assert.notEqual(now?.etag, attributesOf(megabyte).etag, name)
    // A reader from before has the old version, unless its bytes are no longer there.
    if (name === 'edited in place') assert.equal(reading.readNow?.(0, 8), undefined)
    else await until(() => reading.readNow?.(0, 8) !== undefined)
    await reading.close()
  }
})

test('open does not return a kept file that became unreadable', async (t) => {
  const { drive, path } = await openHeld(t)
  const { ctimeMs } = fs.statSync(path)
  // Only a later tick of the file system's clock shows the change.
  do fs.chmodSync(path, 0)
  while (fs.statSync(path).ctimeMs === ctimeMs)
  const opening = drive.open(bucket, 'dir/k')
  assert.ok(opening instanceof Promise)
  // Root may read it.
  await opening.then(
    (object) => object?.close(),
    () => undefined,
  )
})

const onLinux = { skip: process.platform !== 'linux' }

test('a kept file is closed when the object is deleted through the drive', onLinux, async (t) => {
  // Nothing looks at kept files here.
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { drive, path } = await openHeld(t)
  await drive.remove(bucket, 'dir/k')
  await until(() => !isOpen(path))
})

test(
  'a kept file is closed soon when it was deleted by hand, though it is read',
  onLinux,
  async (t) => {
    const { drive, path } = await openHeld(t)
    const reading = await openAtOnce(drive, 'dir/k')
    fs.unlinkSync(path)
    await setTimeout(1_500)
    assert.ok(isOpen(path))
    await reading.close()
    await until(() => !isOpen(path))
  },
)

test(
  'files that are read often are kept open up to a limit, and closed when idle',
  onLinux,
  async (t) => {
    const { drive, folder } = await openSeen(t)
    const before = openFileCount()
    for (let number = 0; number < 40; number++) {
      fs.writeFileSync(join(folder, `k${number}`), megabyte)
      for (let round = 0; round < 3; round++) await get(drive, `k${number}`)
    }
    // Dropped files are closed in the thread pool.
    await until(() => openFileCount() <= before + 32)
    await until(() => openFileCount() === before)
  },
)

function isOpen(path: string): boolean {
  return fs.readdirSync('/proc/self/fd').some((fd) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith(path)
    } catch {
      return false
    }
  })
}

test('the bytes of a small object are kept only while its file is the same', async (t) => {
  const { drive, path } = await openSeen(t)
  const old = new Date('2020-01-02T03:04:05Z')
  t.mock.method(Date, 'now', () => performance.timeOrigin + performance.now() + 60_000)
  for (const text of ['keep', 'swap', 'edit']) {
    writeLater(path, text)
    fs.utimesSync(path, old, old)
    await get(drive, 'dir/k')
    let last = await openAtOnce(drive, 'dir/k')
    let again = last
    // While the disk seems slow, the object is opened again.
    await until(async () => {
      ;[last, again] = [again, await openAtOnce(drive, 'dir/k')]
      return again.content === last.content
    })
    assert.equal(Buffer.from(again.content ?? []).toString(), text)
  }
})

test('kept bytes are read again after two seconds: a write through a shared mapping may not show', async (t) => {
  const { path } = await openSeen(t)
  const kept = new ContentCache({ recentMs: Number.POSITIVE_INFINITY })
  const file = { stats: fs.statSync(path) }
  let nowMs = performance.now()
  t.mock.method(performance, 'now', () => nowMs)
  kept.add('k', file, Buffer.from('text'))
  nowMs += 1_900
  assert.equal(kept.get('k', file)?.toString(), 'text')
  // Reading them does not keep them longer.
  nowMs += 200
  assert.equal(kept.get('k', file), undefined)
})

test('the bytes of a file that changed a moment ago are not kept', async (t) => {
  const { drive, path } = await openSeen(t)
  t.mock.method(Date, 'now', () => fs.statSync(path).ctimeMs + 1_000)
  const first = await openAtOnce(drive, 'dir/k')
  const second = await openAtOnce(drive, 'dir/k')
  assert.notEqual(second.content, first.content)
})

test('open combines a kept file only with its own metadata', async (t) => {
  const opened = await openSeen(t)
  const { path } = opened
  const root = await openLocalRoot(opened.root)
  const cache = new ObjectCache(root, { versioningOf: () => undefined })
  t.after(() => cache.close())
  const objectPath = localPathOf(bucket, 'dir/k')
  const write = (text: string) => {
    fs.writeFileSync(`${path}.new`, text.repeat(30_000))
    fs.renameSync(`${path}.new`, path)
    const fd = fs.openSync(path, 'r')
    const stats = fs.fstatSync(fd)
    const identity = identityOf(stats, root.hasBirthtime)
    const { size, mtimeMs: modifiedAtMs } = stats
    const file = { fd, path, stats, identity, size, modifiedAtMs }
    return { file, metadata: { size, modifiedAtMs, attributes: attributesOf(text) } }
  }
  const old = write('older')
  const recent = write('new')
  for (const { file, metadata } of [recent, recent, old]) {
    // The last one was found before the object was overwritten, and comes late.
    const fd = fs.openSync(`/proc/self/fd/${file.fd}`, 'r')
    await cache.reader(objectPath, { ...file, fd }, metadata).close()
  }
  for (const { file } of [old, recent]) fs.closeSync(file.fd)
  let object: OpenObject | undefined
  await until(() => {
    // Undefined while the disk seems slow.
    object = cache.open(bucket, 'dir/k')
    return object !== undefined
  })
  assert.deepEqual(object?.attributes, recent.metadata.attributes)
  await object?.close()
})
