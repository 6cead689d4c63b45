import assert from 'node:assert/strict'
import fs from 'node:fs'
import { type TestContext, test } from 'node:test'
import { folderMark } from '../../../../../../src/storage/drives/local/folders/folder-sync.ts'
import { identityOf } from '../../../../../../src/storage/drives/local/objects/file-identity.ts'
import { moveMark } from '../../../../../../src/storage/drives/local/objects/folder-locks.ts'
import type {
  HistoryJob,
  PublishJob,
  PublishOutcome,
  SealJob,
  SealOutcome,
  WriteJob,
} from '../../../../../../src/storage/drives/local/small-writes/write-jobs.ts'
import { runWriteJobs } from '../../../../../../src/storage/drives/local/small-writes/write-thread.ts'
import { timeText } from '../../../../../../src/storage/drives/local/versions/version-names.ts'
import { tempFolder } from '../temp-folder.ts'

const modifiedAtMs = 1_700_000_000_123.456
const skip = process.platform !== 'linux'

/** A drive's folders with a holder's name, and jobs in them. */
function makeFolders(t: TestContext) {
  const root = tempFolder(t)
  for (const name of ['bucket', 'locks']) fs.mkdirSync(`${root}/${name}`)
  fs.writeFileSync(`${root}/holder`, 'this process')
  const folder = `${root}/bucket`
  const sealJob = (bytes: string, name = 'temporary'): SealJob => ({
    ...{ kind: 'seal', path: `${root}/${name}`, modifiedAtMs },
    isRelaxed: false,
    bytes: Buffer.from(bytes),
  })
  const publishJob = (name: string, from = 'temporary'): PublishJob => ({
    ...{ kind: 'publish', path: `${root}/${from}`, folder, name },
    ...{ history: undefined, replaced: undefined },
    alternative: `${folder}/${name}.%file`,
    lock: { holder: `${root}/holder`, path: `${root}/locks/${name}` },
  })
  const run = (jobs: readonly WriteJob[], syncs = true) =>
    runWriteJobs({
      jobs,
      syncs,
      records: undefined,
      hasBirthtime: true,
      descriptors: '/proc/self/fd/',
    })
  const seal = (bytes: string, syncs = true) =>
    run([sealJob(bytes)], syncs).outcomes[0] as SealOutcome | undefined
  const publish = (name: string, syncs = true) =>
    run([publishJob(name)], syncs).outcomes[0] as PublishOutcome
  return { root, folder, sealJob, publishJob, run, seal, publish }
}

const openFiles = () => fs.readdirSync('/proc/self/fd').length
const notMoved = { moved: undefined, isLocked: false }

test('a sealed file has its bytes, its time and its identity', { skip }, (t) => {
  const { root, seal } = makeFolders(t)
  const before = openFiles()
  const sealed = seal('some bytes')
  assert.equal(fs.readFileSync(`${root}/temporary`, 'utf8'), 'some bytes')
  const stats = fs.lstatSync(`${root}/temporary`)
  assert.equal(sealed?.stamp.identity, identityOf(stats, true))
  assert.equal(sealed?.stamp.size, 10)
  assert.ok(Math.abs((sealed?.stamp.modifiedAtMs ?? 0) - modifiedAtMs) < 1)
  assert.equal(sealed?.fd, undefined)
  assert.equal(openFiles(), before)
})

test('a file that is not synced stays open, for the caller to sync', { skip }, (t) => {
  const { seal } = makeFolders(t)
  const fsync = t.mock.method(fs, 'fsyncSync')
  const sealed = seal('bytes', false)
  assert.equal(fsync.mock.callCount(), 0)
  assert.equal(fs.fstatSync(sealed?.fd ?? -1).size, 5)
  fs.closeSync(sealed?.fd ?? -1)
})

test('a file that cannot be created, written or synced is not sealed and not left', {
  skip,
}, (t) => {
  const { root, seal } = makeFolders(t)
  const fail = () => {
    throw Object.assign(new Error('no'), { code: 'EIO' })
  }
  const before = openFiles()
  for (const call of ['writeSync', 'futimesSync', 'fstatSync', 'fsyncSync'] as const) {
    const mocked = t.mock.method(fs, call, fail)
    assert.equal(seal('bytes'), undefined, call)
    mocked.mock.restore()
    assert.equal(fs.existsSync(`${root}/temporary`), false, call)
  }
  assert.equal(openFiles(), before)
  fs.writeFileSync(`${root}/temporary`, 'of somebody else')
  assert.equal(seal('bytes'), undefined)
  assert.equal(fs.readFileSync(`${root}/temporary`, 'utf8'), 'of somebody else')
})

test('a published file replaces the former one, and the lock is released', { skip }, (t) => {
  const { root, folder, seal, publish } = makeFolders(t)
  const mark = folderMark(folder, fs.lstatSync(folder), true)
  seal('first')
  const syncError = undefined
  assert.deepEqual(publish('key'), {
    moved: { gone: undefined, synced: mark, syncError },
    isLocked: false,
  })
  const first = identityOf(fs.lstatSync(`${folder}/key`), true)
  seal('second')
  const before = openFiles()
  assert.deepEqual(publish('key', false), {
    moved: { gone: first, synced: undefined, syncError },
    isLocked: false,
  })
  assert.equal(openFiles(), before)
  assert.equal(fs.readFileSync(`${folder}/key`, 'utf8'), 'second')
  assert.deepEqual(fs.readdirSync(`${root}/locks`), [])
  assert.equal(fs.existsSync(`${root}/temporary`), false)
})

test('the mark of a moved folder keeps all files of a call, which hold their locks then', {
  skip,
}, (t) => {
  const { root, folder, sealJob, publishJob, run } = makeFolders(t)
  run([sealJob('a', '1'), sealJob('b', '2')])
  fs.symlinkSync('[]', `${root}/locks/${moveMark}`)
  const { lstatSync } = fs
  const held: string[][] = []
  t.mock.method(fs, 'lstatSync', (path: string, options: fs.StatSyncOptions) => {
    held.push(fs.readdirSync(`${root}/locks`).sort())
    return lstatSync(path, options)
  })
  const { outcomes } = run([publishJob('a', '1'), publishJob('b', '2')])
  assert.deepEqual(held, [['a', 'b', moveMark]])
  assert.deepEqual(outcomes, [notMoved, notMoved])
  assert.deepEqual(fs.readdirSync(`${root}/locks`), [moveMark])
  assert.deepEqual(fs.readdirSync(folder), [])
})

test('a former file with another name is not gone', { skip }, (t) => {
  const { root, folder, seal, publish } = makeFolders(t)
  fs.writeFileSync(`${folder}/key`, 'old')
  fs.linkSync(`${folder}/key`, `${root}/other-name`)
  seal('new')
  assert.equal(publish('key').moved?.gone, undefined)
  assert.equal(fs.readFileSync(`${root}/other-name`, 'utf8'), 'old')
})

test('all moves of a call share one sync of their folder, after them', { skip }, (t) => {
  const { folder, sealJob, publishJob, run } = makeFolders(t)
  run([sealJob('a', '1'), sealJob('b', '2')])
  const synced: string[][] = []
  t.mock.method(fs, 'fsyncSync', () => synced.push(fs.readdirSync(folder).sort()))
  const { outcomes, syncMs } = run([publishJob('a', '1'), publishJob('b', '2')])
  assert.deepEqual(synced, [['a', 'b']])
  assert.equal(typeof syncMs, 'number')
  for (const outcome of outcomes) assert.ok((outcome as PublishOutcome).moved?.synced)
})

test('an error of a folder sync is reported to all that need the sync, which is not repeated', {
  skip,
}, (t) => {
  const { sealJob, publishJob, run } = makeFolders(t)
  run([sealJob('a', '1'), sealJob('b', '2')])
  const fsync = t.mock.method(fs, 'fsyncSync')
  // The system may report an error only once.
  fsync.mock.mockImplementationOnce(() => {
    throw Object.assign(new Error('no sync'), { code: 'EIO' })
  })
  const { outcomes } = run([publishJob('a', '1'), publishJob('b', '2')])
  const failed = {
    moved: { gone: undefined, synced: undefined, syncError: 'EIO' },
    isLocked: false,
  }
  assert.deepEqual(outcomes, [failed, failed])
  assert.equal(fsync.mock.callCount(), 1)
})

test('a folder on a file system without folder syncs counts as synced', { skip }, (t) => {
  const { seal, publish } = makeFolders(t)
  seal('bytes')
  t.mock.method(fs, 'fsyncSync', () => {
    throw Object.assign(new Error('no sync'), { code: 'EINVAL' })
  })
  const { synced, syncError } = publish('key').moved ?? {}
  assert.ok(synced)
  assert.equal(syncError, undefined)
})

test('after two slow syncs, the other files of the call are left to the caller', { skip }, (t) => {
  const { sealJob, run } = makeFolders(t)
  t.mock.method(fs, 'fsyncSync', () =>
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5),
  )
  const { outcomes } = run([sealJob('a', '1'), sealJob('b', '2'), sealJob('c', '3')])
  const [first, second, third] = outcomes as SealOutcome[]
  assert.deepEqual([first?.fd, second?.fd], [undefined, undefined])
  assert.equal(fs.fstatSync(third?.fd ?? -1).size, 1)
  fs.closeSync(third?.fd ?? -1)
})

/** What is at the object's paths, the folder or the lock, so that nothing may be moved. */
const obstacles: Readonly<Record<string, (root: string) => void>> = {
  'a folder at the key': (root) => fs.mkdirSync(`${root}/bucket/key`),
  'a symbolic link at the key': (root) => fs.symlinkSync('/etc/hosts', `${root}/bucket/key`),
  'a large file at the key, which takes long to replace': (root) => {
    fs.writeFileSync(`${root}/bucket/key`, '')
    fs.truncateSync(`${root}/bucket/key`, 1024 * 1024)
  },
  'a file at the alternative path': (root) => fs.writeFileSync(`${root}/bucket/key.%file`, 'x'),
  'another holder of the lock': (root) => fs.writeFileSync(`${root}/locks/key`, 'other'),
  'a mark of a move': (root) => fs.symlinkSync('[]', `${root}/locks/moving`),
  'no folder': (root) => fs.rmdirSync(`${root}/bucket`),
  'a symbolic link as the folder': (root) => {
    fs.mkdirSync(`${root}/elsewhere`)
    fs.rmdirSync(`${root}/bucket`)
    fs.symlinkSync(`${root}/elsewhere`, `${root}/bucket`)
  },
  'no sealed file': (root) => fs.unlinkSync(`${root}/temporary`),
}

for (const [name, make] of Object.entries(obstacles)) {
  test(`nothing is moved with ${name}`, { skip }, (t) => {
    const { root, seal, publish } = makeFolders(t)
    seal('bytes')
    make(root)
    const before = listAll(root)
    const open = openFiles()
    assert.deepEqual(publish('key'), notMoved)
    assert.deepEqual(listAll(root), before)
    assert.equal(openFiles(), open)
  })
}

test('a folder above that became a symbolic link gets nothing', { skip }, (t) => {
  const { root, seal, run, publishJob } = makeFolders(t)
  fs.mkdirSync(`${root}/elsewhere/bucket`, { recursive: true })
  fs.symlinkSync(`${root}/elsewhere`, `${root}/link`)
  seal('bytes')
  const job = { ...publishJob('key'), folder: `${root}/link/bucket` }
  assert.deepEqual(run([job]).outcomes, [notMoved])
  assert.deepEqual(fs.readdirSync(`${root}/elsewhere/bucket`), [])
})

test('a lock that cannot be released is reported', { skip }, (t) => {
  const { seal, publish } = makeFolders(t)
  seal('bytes')
  t.mock.method(fs, 'unlinkSync', () => {
    throw Object.assign(new Error('no'), { code: 'EIO' })
  })
  const { moved, isLocked } = publish('key')
  assert.ok(moved)
  assert.equal(isLocked, true)
})

function listAll(root: string): string[] {
  return (fs.readdirSync(root, { recursive: true }) as string[]).sort()
}

/** As KeyHistory, with the folder of the versions of `key` and a fence. */
function makeHistory(t: TestContext) {
  const folders = makeFolders(t)
  const { root, folder, sealJob, publishJob, run } = folders
  for (const name of ['history', 'fence']) fs.mkdirSync(`${root}/${name}`)
  fs.writeFileSync(`${folder}/key`, 'former')
  const formerMs = modifiedAtMs - 1000
  fs.utimesSync(`${folder}/key`, formerMs / 1000, formerMs / 1000)
  const replace = (changes: Partial<HistoryJob> = {}, syncs = true) => {
    run([sealJob('new')])
    const history = {
      ...{ folder: `${root}/history`, token: `${root}/fence/token` },
      ...{ versioning: { changes: [1] }, time: timeText(modifiedAtMs), ...changes },
    }
    return run([{ ...publishJob('key'), history }], syncs).outcomes[0] as PublishOutcome
  }
  const texts = () =>
    fs
      .readdirSync(`${root}/history`)
      .map((name) => fs.readFileSync(`${root}/history/${name}`, 'utf8'))
  const names = () => fs.readdirSync(`${root}/history`)
  const object = () => fs.readFileSync(`${folder}/key`, 'utf8')
  return { ...folders, formerId: timeText(formerMs), replace, texts, names, object }
}

test('a replaced version is kept, and the folder of the new one is synced', { skip }, (t) => {
  const { root, folder, formerId, replace, texts, names, object } = makeHistory(t)
  const before = openFiles()
  const { moved } = replace()
  const mark = folderMark(folder, fs.lstatSync(folder), true)
  assert.deepEqual(moved, { gone: undefined, synced: mark, syncError: undefined })
  assert.deepEqual([object(), texts(), names()], ['new', ['former'], [formerId]])
  assert.deepEqual(fs.readdirSync(`${root}/fence`), [])
  assert.equal(openFiles(), before)
})

test('the folder of the first version gets its name together with it', { skip }, (t) => {
  const { root, formerId, replace, texts, names, object } = makeHistory(t)
  fs.rmdirSync(`${root}/history`)
  const { renameSync } = fs
  const mocked = t.mock.method(fs, 'renameSync', (from: string, to: string) => {
    if (to.endsWith('/history')) throw Object.assign(new Error('no'), { code: 'ENOENT' })
    renameSync(from, to)
  })
  assert.deepEqual(replace(), notMoved)
  assert.deepEqual([object(), fs.readdirSync(`${root}/fence`)], ['former', []])
  mocked.mock.restore()
  fs.rmSync(`${root}/temporary`)
  assert.notDeepEqual(replace(), notMoved)
  assert.deepEqual([object(), texts(), names()], ['new', ['former'], [formerId]])
  assert.deepEqual(fs.readdirSync(`${root}/fence`), [])
})

test('the thread neither keeps nor replaces a version whose lock was taken over', { skip }, (t) => {
  const { root, replace, names, object } = makeHistory(t)
  // At the link, and between that and the rename into the store.
  fs.rmdirSync(`${root}/fence`)
  assert.deepEqual(replace(), notMoved)
  fs.mkdirSync(`${root}/fence`)
  const { renameSync } = fs
  t.mock.method(fs, 'renameSync', (from: string, to: string) => {
    if (from.endsWith('token')) fs.rmSync(`${root}/fence`, { recursive: true })
    renameSync(from, to)
  })
  assert.deepEqual(replace(), notMoved)
  assert.deepEqual([object(), names()], ['former', []])
})

test('a version that was stored before a rename that failed is the current one', { skip }, (t) => {
  const { replace, texts, object, folder } = makeHistory(t)
  const { renameSync } = fs
  const mocked = t.mock.method(fs, 'renameSync', (from: string, to: string) => {
    if (to.endsWith('/key')) throw Object.assign(new Error('no'), { code: 'ENOENT' })
    renameSync(from, to)
  })
  assert.deepEqual(replace(), notMoved)
  assert.deepEqual([object(), texts()], ['former', ['former']])
  assert.equal(fs.lstatSync(`${folder}/key`).nlink, 2)
  mocked.mock.restore()
  // It is stored already, so the main thread continues.
  fs.rmSync(`${folder}/../temporary`)
  assert.deepEqual(replace(), notMoved)
  assert.deepEqual([object(), texts()], ['former', ['former']])
})

for (const [what, name, changes] of [
  ['versions are suspended', undefined, { versioning: { changes: [1, 2] } }],
  [
    'it has another version null',
    '20200101T000000.000Z.null',
    { versioning: { changes: [modifiedAtMs] } },
  ],
  ['the newest version is a marker', '20200101T000000.000Z.deleted', {}],
  ['a later version is stored', '20990101T000000.000Z', {}],
  ['the current version has the same time', undefined, { time: timeText(modifiedAtMs - 1000) }],
  ['a former version has the ID', `20200101T000000.000Z~${timeText(modifiedAtMs)}`, {}],
] as const) {
  test(`the thread leaves a key to the main thread if ${what}`, { skip }, (t) => {
    const { root, replace, names, object } = makeHistory(t)
    if (name !== undefined) fs.writeFileSync(`${root}/history/${name}`, '')
    assert.deepEqual(replace(changes), notMoved)
    assert.deepEqual([object(), names()], ['former', name === undefined ? [] : [name]])
  })
}
