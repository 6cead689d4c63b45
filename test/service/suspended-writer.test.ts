/**
 * A process on another host is suspended while it holds the lock of a key. Its gateway counts as ended. It resumes after
 * another process has taken over the lock.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setEndedGateways } from '../../src/platform/process/ended-processes.ts'
import { openDatabase } from '../../src/platform/state/open-database.ts'
import { openLocalDrive } from '../../src/storage/drives/local/local-drive.ts'
import { DatabaseFileRecords } from '../../src/storage/drives/local/objects/file-record-table.ts'
import type { VersionEntry, Versioning } from '../../src/storage/drives/versions.ts'
import {
  attributesOf,
  bucket,
  get,
  log,
  put,
  readAll,
} from '../unit/storage/drives/local/open-drive.ts'
import { tempFolder } from '../unit/storage/drives/local/temp-folder.ts'

const script = join(import.meta.dirname, '../unit/storage/drives/local/stalling-process.ts')
const skip =
  process.getuid?.() === 0 && process.platform === 'linux'
    ? false
    : 'only root may create a PID namespace (Linux)'
const { etag } = attributesOf('first')
const ifMatch = [etag]

/** The clock of this process runs faster by this factor: a takeover of a lock takes six seconds. */
const haste = 20

/** The key `k` has the text `first`. */
async function scene(t: TestContext, versioning?: Versioning) {
  const { now } = performance
  const begun = now.call(performance)
  t.mock.method(performance, 'now', () => begun + haste * (now.call(performance) - begun))
  const folder = tempFolder(t)
  const path = join(folder, 'records.db')
  const database = await openDatabase({ kind: 'sqlite', path }, { migrate: true })
  const records = new DatabaseFileRecords(database)
  const root = join(folder, 'drive')
  const drive = await openLocalDrive({ root, records, log, versioningOf: () => versioning })
  await drive.prepare([bucket])
  t.after(async () => {
    setEndedGateways([], [])
    await drive.close()
    await records.close()
    await database.close()
  })
  await put(drive, 'k', 'first')
  /** Starts stalling-process.ts. Resolves when it is suspended and counts as ended. */
  const suspend = async (task: string, key: string, call = '', pattern = '') => {
    const own = ['--pid', '--fork', '--mount-proc', '--kill-child', process.execPath]
    const versions = versioning === undefined ? '' : JSON.stringify(versioning)
    const given = [folder, task, key, etag, call, pattern, versions]
    const child = spawn('unshare', [...own, script, ...given], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    t.after(() => child.kill('SIGKILL'))
    const line = async () => {
      const end = once(child, 'exit').then(([code]) => {
        throw new Error(`${script} ended with ${code} before it printed a line`)
      })
      const [text] = await Promise.race([once(child.stdout, 'data'), end])
      end.catch(() => undefined)
      return String(text).trim()
    }
    const ended = { process: await line(), untilTicks: Number.MAX_SAFE_INTEGER }
    setEndedGateways([ended], [])
    /** Resumes it. Resolves with the result of its task. */
    return async () => {
      const said = line()
      child.stdin.write('x')
      return said
    }
  }
  const locks = () => fs.readdirSync(join(root, '.bucketry/locks'))
  const textOf = async (key: string) => (await get(drive, key))?.text
  return { drive, root, suspend, locks, textOf }
}

test('A conditional write whose lock was taken over replaces nothing', { skip }, async (t) => {
  const { drive, suspend, locks, textOf } = await scene(t)
  const resume = await suspend('replace', 'k', 'rename', '/k$')
  await put(drive, 'k', 'second', { ifMatch })
  assert.equal(await resume(), 'unavailable')
  assert.equal(await textOf('k'), 'second')
  assert.deepEqual(locks(), [])
})

test('A conditional Complete whose lock was taken over replaces nothing', { skip }, async (t) => {
  const { drive, root, suspend, locks, textOf } = await scene(t)
  const resume = await suspend('completeIfMatch', 'k')
  await put(drive, 'k', 'second', { ifMatch })
  assert.equal(await resume(), 'busy')
  assert.equal(await textOf('k'), 'second')
  assert.deepEqual(locks(), [])
  // The upload is unchanged, so the client can try again.
  assert.equal(fs.readFileSync(join(root, '.bucketry/uploads/u/data'), 'utf8'), 'completed')
})

for (const [what, call] of [
  ['link into the fence', 'after:link'],
  ['rename', 'rename'],
] as const) {
  test(`A conditional Complete that is suspended at its ${what}`, { skip }, async (t) => {
    const { drive, suspend, textOf } = await scene(t)
    const pattern = call === 'rename' ? '/k$' : '/fence-'
    const resume = await suspend('completeIfMatch', 'k', call, pattern)
    await resume()
    await drive.sweep?.()
    assert.equal(await textOf('k'), 'completed')
  })
}

for (const task of ['remove', 'removeIfMatch', 'removeAfterPut']) {
  test(`A removal whose lock was taken over removes nothing: ${task}`, { skip }, async (t) => {
    const { drive, suspend, locks, textOf } = await scene(t)
    const resume =
      task === 'removeAfterPut'
        ? await suspend(task, 'k')
        : await suspend(task, 'k', 'rename', '/k$')
    await put(drive, 'k', 'second', { ifMatch })
    assert.equal(await resume(), 'busy')
    assert.equal(await textOf('k'), 'second')
    assert.deepEqual(locks(), [])
  })
}

test('Of two conditional removals of one object only one succeeds', { skip }, async (t) => {
  const { drive, suspend, locks } = await scene(t)
  const resume = await suspend('removeIfMatch', 'k', 'rename', '/k$')
  assert.equal((await drive.remove(bucket, 'k', { ifMatch })) !== undefined, true)
  assert.equal(await resume(), 'busy')
  assert.deepEqual(locks(), [])
})

test('A process that continues does not remove the lock of another one', { skip }, async (t) => {
  const { suspend, locks, textOf } = await scene(t)
  const resume = await suspend('put', 'k', 'rename', '/k$')
  const other = await suspend('put', 'k', 'rename', '/k$')
  assert.equal(locks().length, 1)
  assert.equal(await resume(), 'unavailable')
  assert.equal(locks().length, 1)
  assert.equal(await other(), 'done')
  assert.equal(await textOf('k'), 'late')
  assert.deepEqual(locks(), [])
})

test('A lock that a process takes while its former one is taken over stays', {
  skip,
}, async (t) => {
  const { drive, suspend, textOf } = await scene(t)
  const resume = await suspend('replaceTwice', 'k', 'rename', '/k$')
  // Between the two checks of the lock, the process resumes with its next request.
  const { readdir } = fs.promises
  let second: Promise<string> | undefined
  t.mock.method(fs.promises, 'readdir', async (...given: Parameters<typeof readdir>) => {
    if (second === undefined && fs.realpathSync(String(given[0])).includes('.former-')) {
      second = resume()
      await second
    }
    return await readdir(...given)
  })
  const own = put(drive, 'k', 'second', { ifMatch })
  // This takeover leaves the new lock. Because the process counts as ended, another takeover follows, which it notices.
  await own
  assert.equal(await textOf('k'), 'second')
  assert.equal(await resume(), 'unavailable')
  assert.equal(await textOf('k'), 'second')
})

test('An object that was published before the takeover stays, beside newer objects', {
  skip,
}, async (t) => {
  const { drive, suspend, textOf } = await scene(t)
  const resume = await suspend('put', 'k', 'after:rename', '/k$')
  // Now a folder has the path of `k`.
  await put(drive, 'k/x', 'below')
  await put(drive, 'k', 'third')
  await resume()
  assert.deepEqual([await textOf('k'), await textOf('k/x')], ['third', 'below'])
})

for (const call of ['link', 'rename']) {
  test(`Only the file is moved away, not a folder that replaced it: ${call}`, {
    skip,
  }, async (t) => {
    const { drive, suspend, textOf } = await scene(t)
    const resume = await suspend('put', 'k/y', call, '/k$')
    await drive.remove(bucket, 'k')
    await put(drive, 'k/x', 'below')
    await resume()
    assert.equal(await textOf('k/x'), 'below')
    await put(drive, 'k/y', 'beside')
    assert.equal(await textOf('k/y'), 'beside')
  })
}

test('An object that moves back to its path stays when it is written again', {
  skip,
}, async (t) => {
  const { drive, suspend, textOf } = await scene(t)
  await put(drive, 'k/x', 'below')
  const resume = await suspend('remove', 'k/x', 'rename', '/k\\.%file$')
  await put(drive, 'k', 'newer')
  await put(drive, 'k/z', 'beside')
  await resume()
  assert.deepEqual([await textOf('k'), await textOf('k/z')], ['newer', 'beside'])
})

test('A conditional Complete whose upload was taken over publishes nothing', {
  skip,
}, async (t) => {
  const { drive, suspend, textOf } = await scene(t)
  const resume = await suspend('completeIfMatch', 'k', 'rename', '/k$')
  const state = JSON.stringify({ id: 'u', target: { bucket, key: 'k' } })
  const taken = (await drive.uploads.takeOver?.(state, { isDead: false })) ?? ''
  await drive.uploads.abort(taken)
  assert.equal(await resume(), 'unavailable')
  assert.equal(await textOf('k'), 'first')
})

test('A removal whose lock was taken over after its rename succeeds', { skip }, async (t) => {
  const { drive, root, suspend } = await scene(t)
  await put(drive, 'd/k', 'below')
  const resume = await suspend('remove', 'd/k', 'unlink', '/fence-')
  assert.equal((await drive.remove(bucket, 'd/k')) !== undefined, false)
  assert.equal(await resume(), 'done')
  assert.deepEqual(fs.readdirSync(join(root, bucket)), ['k'])
})

const versioned = { changes: [1_000_000] }
const versionName = String.raw`T\d{6}\.\d{3}Z$`

for (const [task, call, pattern, result] of [
  ['put', 'link', '/k$', 'busy'],
  ['put', 'rename', versionName, 'busy'],
  ['put', 'rename', '/k$', 'unavailable'],
  ['replace', 'rename', '/k$', 'unavailable'],
  ['completeIfMatch', 'rename', versionName, 'busy'],
  ['remove', 'link', '/k$', 'busy'],
  ['remove', 'rename', versionName, 'busy'],
  ['remove', 'rename', String.raw`\.deleted$`, 'busy'],
  ['remove', 'rename', '/k$', 'busy'],
] as const) {
  test(`With versions, a lock that was taken over keeps them: ${task} at ${call} of ${pattern}`, {
    skip,
  }, async (t) => {
    const { drive, root, suspend, locks, textOf } = await scene(t, versioned)
    const resume = await suspend(task, 'k', call, pattern)
    await put(drive, 'k', 'second')
    assert.equal(await resume(), result)
    assert.equal(await textOf('k'), 'second')
    assert.deepEqual(await versionsOf(drive), ['second', 'first'])
    assert.equal(storedNames(root).length, 1)
    assert.deepEqual(locks(), [])
    await put(drive, 'k', 'third')
    assert.deepEqual(await versionsOf(drive), ['third', 'second', 'first'])
  })
}

test('With versions, a Complete whose lock was taken over replaces no version unseen', {
  skip,
}, async (t) => {
  const { drive, suspend, textOf } = await scene(t, versioned)
  const resume = await suspend('complete', 'k', 'rename', '/k$')
  await put(drive, 'k', 'second')
  // It starts again with the lock.
  assert.equal(await resume(), 'done')
  assert.equal(await textOf('k'), 'completed')
  assert.deepEqual(await versionsOf(drive), ['completed', 'second', 'first'])
})

function storedNames(root: string): string[] {
  return fs.readdirSync(join(root, '.bucketry/versions', bucket, 'k.%file'))
}

/** The texts of the versions of `k`, the newest first. */
async function versionsOf(drive: Awaited<ReturnType<typeof scene>>['drive']) {
  const entries = (await drive.listVersions?.(bucket, { prefix: 'k', after: '' }).next(100)) ?? []
  const texts: string[] = []
  for (const { versionId, isDeleteMarker } of entries as VersionEntry[]) {
    const object = isDeleteMarker ? undefined : await drive.open(bucket, 'k', { versionId })
    texts.push(object === undefined ? 'marker' : await readAll(object.read(0, object.size)))
    await object?.close()
  }
  return texts
}
