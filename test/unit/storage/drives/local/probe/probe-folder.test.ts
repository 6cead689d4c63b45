import assert from 'node:assert/strict'
import fs from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { openLocalDrive } from '../../../../../../src/storage/drives/local/local-drive.ts'
import { folderRootAt } from '../../../../../../src/storage/drives/local/local-root.ts'
import type { Finding } from '../../../../../../src/storage/drives/local/probe/findings.ts'
import { probeFolder } from '../../../../../../src/storage/drives/local/probe/probe-folder.ts'
import { MemoryRecords } from '../memory-records.ts'
import { log } from '../open-drive.ts'
import { tempFolder } from '../temp-folder.ts'

const { rename, link, open, lstat, readFile } = fs.promises

function failure(code: string): Error {
  return Object.assign(new Error(code), { code })
}

/** The findings, by their codes. Nothing may be left in the folder. */
async function probe(t: TestContext): Promise<string[]> {
  const folder = tempFolder(t)
  const findings = await probeFolder(await folderRootAt(folder), folder)
  assert.deepEqual(fs.readdirSync(folder), [])
  return findings.map(({ code }) => code)
}

/** Changes the methods of file handles. */
function mockHandles(t: TestContext, change: (handle: FileHandle, path: string) => void): void {
  t.mock.method(fs.promises, 'open', async (...given: Parameters<typeof open>) => {
    const handle = await open(...given)
    change(handle, String(given[0]))
    return handle
  })
}

test('A healthy folder has no finding, and no file is left', async (t) => {
  assert.deepEqual(await probe(t), [])
})

test('`prepare` begins to test the file system if there is an `onFinding`, and `close` waits', async (t) => {
  const findings: Finding[] = []
  t.mock.method(fs.promises, 'link', () => Promise.reject(failure('EPERM')))
  const root = tempFolder(t)
  const parts = { root, records: new MemoryRecords(), log }
  const drive = await openLocalDrive({
    ...parts,
    onFinding: (finding) => void findings.push(finding),
  })
  await drive.prepare([])
  await drive.close()
  assert.deepEqual(
    findings.map(({ code, isHarmless }) => [code, isHarmless]),
    [['hard-links', true]],
  )
})

test('A rename that refuses an existing file', async (t) => {
  t.mock.method(fs.promises, 'rename', async (from: string, to: string) => {
    if (fs.existsSync(to)) throw failure('EEXIST')
    await rename(from, to)
  })
  assert.deepEqual(await probe(t), ['rename-replaces'])
})

test('A rename that refuses a file that is open', async (t) => {
  let replaced = 0
  t.mock.method(fs.promises, 'rename', async (from: string, to: string) => {
    if (to.endsWith('/replaced') && ++replaced > 1) throw failure('EBUSY')
    await rename(from, to)
  })
  assert.deepEqual(await probe(t), ['rename-while-open'])
})

/** Replaces files in two steps, and waits between them until the reader has looked, if there is one. */
function mockSteps(
  t: TestContext,
  { first, second }: Record<'first' | 'second', (from: string, to: string) => void>,
): void {
  let onRead: () => void = () => undefined
  t.mock.method(fs.promises, 'readFile', async (path: string) => {
    const done = onRead
    return await readFile(path, 'latin1').finally(done)
  })
  t.mock.method(fs.promises, 'rename', async (from: string, to: string) => {
    if (!to.endsWith('/replaced')) return await rename(from, to)
    first(from, to)
    const hasReader = !['1', '2'].includes(from.at(-1) ?? '')
    const looked = new Promise<void>((resolve) => {
      onRead = resolve
    })
    if (hasReader) await looked
    second(from, to)
  })
}

test('A rename that removes the file first', async (t) => {
  mockSteps(t, { first: (_, to) => fs.unlinkSync(to), second: fs.renameSync })
  assert.deepEqual(await probe(t), ['rename-atomic'])
})

test('A rename that copies into the existing file', async (t) => {
  mockSteps(t, {
    first: (from, to) => fs.writeFileSync(to, fs.readFileSync(from).subarray(0, 100)),
    second(from, to) {
      fs.writeFileSync(to, fs.readFileSync(from))
      fs.unlinkSync(from)
    },
  })
  assert.deepEqual(await probe(t), ['rename-atomic', 'open-files-stay'])
})

test('A replaced file that its readers can no longer read', async (t) => {
  mockHandles(t, (handle, path) => {
    if (path.endsWith('/replaced')) handle.readFile = () => Promise.reject(failure('ESTALE'))
  })
  assert.deepEqual(await probe(t), ['open-files-stay'])
})

test('Locks that two processes can take', async (t) => {
  t.mock.method(fs.promises, 'link', async (from: string, to: string) => {
    await link(from, to).catch(() => undefined)
  })
  assert.deepEqual(await probe(t), ['exclusive-create'])
})

test('Locks that two processes can take without hard links', async (t) => {
  t.mock.method(fs.promises, 'link', () => Promise.reject(failure('ENOSYS')))
  const { writeFile } = fs.promises
  t.mock.method(fs.promises, 'writeFile', (path: string, text: string) => writeFile(path, text))
  assert.deepEqual(await probe(t), ['hard-links', 'exclusive-create'])
})

test('An inode that depends on the name', async (t) => {
  t.mock.method(fs.promises, 'lstat', async (path: string) => {
    const stats = await lstat(path)
    stats.ino += path.endsWith('-renamed') ? 1 : 0
    return stats
  })
  assert.deepEqual(await probe(t), ['stable-inodes'])
})

test('A time that changes after the file was closed', async (t) => {
  t.mock.method(fs.promises, 'lstat', async (path: string) => {
    const stats = await lstat(path)
    stats.mtimeMs = Math.floor(stats.mtimeMs) - 1
    return stats
  })
  assert.deepEqual(await probe(t), ['stable-times'])
})

test("A folder that can't be synced", async (t) => {
  mockHandles(t, (handle) => {
    handle.sync = () => Promise.reject(failure('EINVAL'))
  })
  assert.deepEqual(await probe(t), ['folder-fsync'])
})

test('A full drive is reported as untested', async (t) => {
  t.mock.method(fs.promises, 'writeFile', () => Promise.reject(failure('ENOSPC')))
  const folder = tempFolder(t)
  const root = await folderRootAt(folder)
  const [finding] = await probeFolder(root, folder)
  assert.equal(finding?.code, 'untested')
  assert.match(finding?.text ?? '', /\(ENOSPC\)/)
})

test('A test that fails half-way leaves no files', async (t) => {
  let drafts = 0
  const { writeFile } = fs.promises
  t.mock.method(fs.promises, 'writeFile', async (path: string, text: string) => {
    if (++drafts > 5) throw failure('EIO')
    await writeFile(path, text)
  })
  assert.deepEqual(await probe(t), ['untested'])
})
