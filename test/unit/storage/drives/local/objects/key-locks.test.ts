import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  confirmEndedGateways,
  setEndedGateways,
} from '../../../../../../src/platform/process/ended-processes.ts'
import { livenessOf, thisProcess } from '../../../../../../src/platform/process/identity.ts'
import {
  openLocalRoot,
  processFolderOf,
} from '../../../../../../src/storage/drives/local/local-root.ts'
import { fenceOff } from '../../../../../../src/storage/drives/local/objects/fence.ts'
import { KeyLocks } from '../../../../../../src/storage/drives/local/objects/key-locks.ts'
import { PacedFiles } from '../../../../../../src/storage/drives/local/objects/paced-files.ts'
import { tempFolder } from '../temp-folder.ts'

async function makeLocks(t: Parameters<typeof tempFolder>[0]) {
  const root = await openLocalRoot(tempFolder(t))
  return { root, locks: new KeyLocks(root) }
}

/** Holds the lock until `release` is called. */
async function acquire(locks: KeyLocks, name: string) {
  const [taken, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = locks.hold(name, () => {
    taken.resolve()
    return ended.promise
  })
  holding.catch(taken.reject)
  await taken.promise
  const release = () => {
    ended.resolve()
    return holding
  }
  return { release }
}

/** The name of a process of this machine that has ended. */
async function deadProcess(): Promise<string> {
  const child = fork('-e', [], { execArgv: ['-e', ''], stdio: 'ignore' })
  const [host] = thisProcess.split('/')
  const start = fs.readFileSync(`/proc/${child.pid}/stat`, 'latin1').split(' ')[21]
  await new Promise((resolve) => child.once('exit', resolve))
  return `${host}/${child.pid}/${start}`
}

test('hold lets one holder in at a time, in order', async (t) => {
  const { root, locks } = await makeLocks(t)
  const order: number[] = []
  let inside = 0
  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const lock = await acquire(locks, 'a')
      assert.equal(++inside, 1)
      await new Promise((resolve) => setImmediate(resolve))
      order.push(index)
      inside--
      await lock.release()
    }),
  )
  assert.deepEqual(
    order,
    Array.from({ length: 20 }, (_, index) => index),
  )
  assert.deepEqual(fs.readdirSync(`${root.ownPath}/locks`), [])
})

test('hold does not wait for another name', async (t) => {
  const { locks } = await makeLocks(t)
  const a = await acquire(locks, 'a')
  const b = await acquire(locks, 'b')
  await a.release()
  await b.release()
})

test('hold takes over from a dead process immediately, even one that died while taking over', async (t) => {
  const { root, locks } = await makeLocks(t)
  const probe = await acquire(locks, 'a')
  const [name = ''] = fs.readdirSync(`${root.ownPath}/locks`)
  await probe.release()
  const dead = await deadProcess()
  assert.equal(livenessOf(dead), 'dead')
  fs.writeFileSync(join(root.ownPath, 'locks', name), dead)
  fs.writeFileSync(join(root.ownPath, 'locks', `${name}.steal`), dead)
  // The clock stands still: it does not wait for the holder to be silent.
  t.mock.method(performance, 'now', () => 0)
  const lock = await acquire(locks, 'a')
  assert.equal(fs.readFileSync(join(root.ownPath, 'locks', name), 'latin1'), thisProcess)
  await lock.release()
  assert.deepEqual(fs.readdirSync(`${root.ownPath}/locks`), [])
})

test('hold by a second instance of the same process waits for the first', async (t) => {
  const { root, locks } = await makeLocks(t)
  const other = new KeyLocks(root)
  const held = await acquire(locks, 'a')
  let isIn = false
  const waiting = acquire(other, 'a').then((lock) => {
    isIn = true
    return lock
  })
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.equal(isIn, false)
  await held.release()
  await (await waiting).release()
})

test('hold works after the lock folder was deleted', async (t) => {
  const { root, locks } = await makeLocks(t)
  await (await acquire(locks, 'a')).release()
  fs.rmSync(`${root.ownPath}/locks`, { recursive: true })
  fs.rmSync(processFolderOf(root), { recursive: true })
  await (await acquire(locks, 'a')).release()
  assert.deepEqual(fs.readdirSync(`${root.ownPath}/locks`), [])
})

/** A lock with a holder on another host, and a clock that only the test advances. */
async function openElsewhere(t: TestContext) {
  const { root, locks } = await makeLocks(t)
  const probe = await acquire(locks, 'a')
  const [name = ''] = fs.readdirSync(`${root.ownPath}/locks`)
  await probe.release()
  const path = join(root.ownPath, 'locks', name)
  fs.writeFileSync(path, 'other-host/1/1')
  assert.equal(livenessOf('other-host/1/1'), 'elsewhere')
  let nowMs = performance.now()
  t.mock.method(performance, 'now', () => nowMs)
  /** Resolves when the lock was checked twice more: each time its holder is read twice. */
  const looks = async () => {
    const reading = t.mock.method(fs.promises, 'readFile')
    for (let tries = 0; reading.mock.callCount() < 5; tries += 1) {
      assert.ok(tries < 5_000, 'the lock was taken too early')
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    reading.mock.restore()
  }
  const passMs = (ms: number) => {
    nowMs += ms
  }
  return { root, locks, path, looks, passMs }
}

test('hold takes over from a holder on another host after 30 s of silence, not before', async (t) => {
  const { root, locks, path, looks, passMs } = await openElsewhere(t)
  let isIn = false
  const waiting = acquire(locks, 'a').finally(() => {
    isIn = true
  })
  await looks()
  passMs(29_000)
  await looks()
  assert.equal(isIn, false)
  assert.equal(fs.readFileSync(path, 'latin1'), 'other-host/1/1')
  passMs(1_100)
  const lock = await waiting
  assert.equal(fs.readFileSync(path, 'latin1'), thisProcess)
  await lock.release()
  assert.deepEqual(fs.readdirSync(`${root.ownPath}/locks`), [])
})

test('hold never takes over from a holder on another host that is alive, and finally gives up', async (t) => {
  const { locks, path, looks, passMs } = await openElsewhere(t)
  const waiting = acquire(locks, 'a')
  const refused = assert.rejects(waiting, { kind: 'busy' })
  await looks()
  for (let round = 0; round < 2; round++) {
    // As when it takes another lock: the file with its name gets one more link.
    fs.linkSync(path, `${path}.${round}`)
    passMs(25_000)
    await looks()
  }
  fs.linkSync(path, `${path}.last`)
  await looks()
  passMs(11_000)
  await refused
  assert.equal(fs.readFileSync(path, 'latin1'), 'other-host/1/1')
})

test('hold gives up on a lock that exists but cannot be read', async (t) => {
  const { root, locks } = await makeLocks(t)
  await locks.prepare()
  await locks.hold('a', async () => {
    const [name = ''] = fs.readdirSync(`${root.ownPath}/locks`)
    fs.unlinkSync(join(root.ownPath, 'locks', name))
    fs.symlinkSync(name, join(root.ownPath, 'locks', name))
    const start = performance.now()
    let calls = 0
    t.mock.method(performance, 'now', () => start + 1_000 * ++calls)
    await assert.rejects(
      new KeyLocks(root).hold('a', async () => undefined),
      { kind: 'busy' },
    )
  })
})

test('hold renames the drafts of a holder on another host before it takes over', async (t) => {
  const { root, locks, path, looks, passMs } = await openElsewhere(t)
  const folder = join(root.ownPath, 'tmp', encodeURIComponent('other-host/1/1'))
  fs.mkdirSync(folder)
  // As a real holder: its locks are links to the file with its name.
  fs.renameSync(path, join(folder, 'holder'))
  fs.linkSync(join(folder, 'holder'), path)
  fs.writeFileSync(join(folder, 'draft'), 'x')
  fs.writeFileSync(join(folder, 'a.folders'), '')
  const waiting = acquire(locks, 'a')
  await looks()
  passMs(30_100)
  await (await waiting).release()
  const left = fs.readdirSync(`${root.ownPath}/tmp`).filter((name) => name.startsWith('other-host'))
  assert.equal(left.length, 1)
  const names = fs.readdirSync(join(root.ownPath, 'tmp', left[0] ?? '')).sort()
  assert.match(names.join(' '), /^a\.folders fenced-[\w-]+ holder$/)
  assert.match(left[0] ?? '', /\.former-/)
})

test('hold takes over after 6 s from a silent process of a gateway that has ended, not before', async (t) => {
  const { locks, root, looks, passMs } = await openElsewhere(t)
  t.after(() => setEndedGateways([], []))
  setEndedGateways([{ process: 'other-host/1/1', untilTicks: 5 }], [])
  const waiting = acquire(locks, 'a')
  await looks()
  passMs(5_900)
  // As the database does every second.
  confirmEndedGateways(performance.now())
  await looks()
  assert.equal(fs.readdirSync(`${root.ownPath}/locks`).length, 1)
  passMs(200)
  await (await waiting).release()
  assert.deepEqual(fs.readdirSync(`${root.ownPath}/locks`), [])
})

test('hold takes its own lock of which the reply was lost, and releases it', async (t) => {
  const { root, locks } = await makeLocks(t)
  const link = root.files.link.bind(root.files)
  t.mock.method(root.files, 'link', async (from: string, to: string) => {
    await link(from, to)
    throw Object.assign(new Error('sent again'), { code: 'EEXIST' })
  })
  // The clock stands still: it does not wait for the holder to be silent.
  t.mock.method(performance, 'now', () => 0)
  await locks.hold('a', async () => undefined)
  assert.deepEqual(fs.readdirSync(`${root.ownPath}/locks`), [])
})

test('a lock that cannot be removed is removed later, and what was done under it counts', async (t) => {
  const { root, locks } = await makeLocks(t)
  const unlink = root.files.unlink.bind(root.files)
  let failures = 2
  t.mock.method(root.files, 'unlink', (path: string) => {
    failures -= 1
    if (failures >= 0) throw Object.assign(new Error('timed out'), { code: 'EIO' })
    return unlink(path)
  })
  assert.equal(await locks.hold('a', async () => 'done'), 'done')
  while (fs.readdirSync(`${root.ownPath}/locks`).length > 0)
    await new Promise((go) => setTimeout(go, 10))
  assert.equal(await locks.hold('a', async () => 'again'), 'again')
})

test('a holder that was suspended leaves the lock of another process', async (t) => {
  const { root, locks, path, passMs } = await openElsewhere(t)
  fs.unlinkSync(path)
  const lock = await acquire(locks, 'a')
  fs.unlinkSync(path)
  fs.writeFileSync(path, 'other-host/1/1')
  passMs(40_000)
  await lock.release()
  assert.equal(fs.readFileSync(path, 'latin1'), 'other-host/1/1')
  assert.deepEqual(fs.readdirSync(`${root.ownPath}/locks`), [
    path.slice(`${root.ownPath}/locks`.length + 1),
  ])
})

for (const [what, call, code, isDone] of [
  ['whose creation seemed to fail', 'link', 'EEXIST', true],
  ['that could not be removed once', 'unlink', 'EIO', false],
] as const) {
  test(`a guard ${what} does not block the key`, async (t) => {
    const { root, locks } = await makeLocks(t)
    const path = join(root.ownPath, 'locks', crypto.hash('md5', 'a'))
    const dead = await deadProcess()
    let failures = 0
    const lose = (given: unknown[]) => given.some((one) => String(one).endsWith('.steal'))
    const original = fs[`${call}Sync`] as (...given: unknown[]) => void
    const losing = (...given: unknown[]) => {
      if (failures > 0 || !lose(given)) return original(...given)
      failures += 1
      if (isDone) original(...given)
      throw Object.assign(new Error(code), { code })
    }
    t.mock.method(fs, `${call}Sync`, losing)
    t.mock.method(fs.promises, call, async (...given: unknown[]) => losing(...given))
    for (let round = 0; round < 2; round += 1) {
      fs.writeFileSync(path, dead)
      await locks.hold('a', async () => undefined)
    }
    assert.equal(failures, 1)
    assert.deepEqual(fs.readdirSync(`${root.ownPath}/locks`), [])
  })
}

test('a lock that could not be removed stays while another drive of the process holds it', async (t) => {
  const { root, locks } = await makeLocks(t)
  const other = new KeyLocks(root)
  const { unlink } = PacedFiles.prototype
  const failing = t.mock.method(PacedFiles.prototype, 'unlink', async () => {
    throw Object.assign(new Error('away'), { code: 'EIO' })
  })
  await locks.hold('a', async () => undefined)
  failing.mock.restore()
  const { promise, resolve } = Promise.withResolvers<void>()
  t.mock.method(PacedFiles.prototype, 'unlink', async function (this: PacedFiles, path: string) {
    resolve()
    return await unlink.call(this, path)
  })
  await other.hold('a', async () => {
    // Several times the interval between two attempts to remove the lock.
    await Promise.race([promise, new Promise((end) => setTimeout(end, 400))])
    assert.equal(fs.readdirSync(`${root.ownPath}/locks`).length, 1)
  })
  while (fs.readdirSync(`${root.ownPath}/locks`).length > 0) await new Promise(setImmediate)
})

test('hold works when the folder of the process is moved away while it is created', async (t) => {
  const { root, locks } = await makeLocks(t)
  const { writeFile } = fs.promises
  let moves = 0
  t.mock.method(fs.promises, 'writeFile', async (...given: Parameters<typeof writeFile>) => {
    await writeFile(...given)
    if (moves++ < 2) await fenceOff(thisProcess, root)
  })
  fs.rmSync(processFolderOf(root), { recursive: true })
  await locks.hold('a', async () => undefined)
  assert.ok(moves > 2)
})

test('a name that can not be written on a full disk leaves no file', async (t) => {
  const { root, locks } = await makeLocks(t)
  // The file exists, but not its bytes.
  const { writeFile } = fs.promises
  t.mock.method(fs.promises, 'writeFile', async (path: string) => {
    await writeFile(path, '')
    throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
  })
  await assert.rejects(
    locks.hold('a', async () => undefined),
    { code: 'ENOSPC' },
  )
  const names = fs.readdirSync(processFolderOf(root))
  assert.deepEqual(
    names.filter((name) => name.startsWith('holder')),
    [],
  )
})

test('concurrent requests take their locks on a file system without hard links', async (t) => {
  const { root, locks } = await makeLocks(t)
  t.mock.method(root.files, 'link', async () => {
    await new Promise(setImmediate)
    throw Object.assign(new Error('no links'), { code: 'EPERM' })
  })
  const hold = (name: string) => locks.hold(name, async () => name)
  assert.deepEqual(await Promise.all(['a', 'b', 'c'].map(hold)), ['a', 'b', 'c'])
  assert.deepEqual(fs.readdirSync(`${root.ownPath}/locks`), [])
})

test('concurrent requests create the folder of the process once after it was moved away', async (t) => {
  const { root, locks } = await makeLocks(t)
  await locks.prepare()
  await fenceOff(thisProcess, root)
  const link = root.files.link.bind(root.files)
  t.mock.method(root.files, 'link', async (from: string, to: string) => {
    await new Promise(setImmediate)
    await link(from, to)
  })
  const names = Array.from({ length: 20 }, (_, index) => `key ${index}`)
  await Promise.all(names.map((name) => locks.hold(name, async () => undefined)))
  const made = fs.readdirSync(processFolderOf(root))
  assert.equal(made.length, 2, `${made}`)
})

test('fencing that another process has begun is completed', async (t) => {
  const { root } = await makeLocks(t)
  const holder = 'other-host/1/1'
  const former = join(root.ownPath, 'tmp', `${encodeURIComponent(holder)}.former-x`)
  fs.mkdirSync(join(former, 'fenced--'), { recursive: true })
  for (const name of ['1', 'fenced--/2', 'holder']) fs.writeFileSync(join(former, name), '')
  await fenceOff(holder, root)
  const left = fs.readdirSync(former, { recursive: true, encoding: 'utf8' }).sort()
  const pattern = /^fenced-- fenced--\/fenced-[\w-]{36} fenced-[\w-]{36} holder$/
  assert.match(left.join(' '), pattern)
})
