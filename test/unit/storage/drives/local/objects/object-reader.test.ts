import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Drive, OpenObject } from '../../../../../../src/storage/drives/drive.ts'
import { collectGarbage } from '../../../../../support/collect-garbage.ts'
import { until } from '../../../../../support/management-client.ts'
import { openFileCount } from '../../../../../support/open-files.ts'
import { bucket, openDrive, put, readAll } from '../open-drive.ts'

const large = 'abcdefgh'.repeat(200_000)

test('read returns any range', async (t) => {
  const { drive } = await openDrive(t)
  await put(drive, 'k', large)
  const object = await drive.open(bucket, 'k')
  assert.ok(object)
  const edges = [0, 1, 65_535, 65_536, 65_537, 262_143, 262_144, 262_145, 1_000_000, large.length]
  for (const start of edges) {
    for (const end of edges.filter((edge) => edge >= start)) {
      assert.equal(await readAll(object.read(start, end)), large.slice(start, end))
    }
  }
  await object.close()
})

test('read rejects when the file was truncated or edited meanwhile', async (t) => {
  const { drive, folder } = await openDrive(t)
  for (const [key, text] of [
    ['small', 'abc'],
    ['large', large],
  ] as const) {
    for (const edit of ['', `x${text.slice(1)}`, `${text}more`]) {
      await put(drive, key, text)
      const object = await drive.open(bucket, key)
      assert.ok(object)
      const path = join(folder, key)
      // Until the clock of the file system moves on (4 ms with many kernels), an edit of the same size
      // looks like a change of tags (file-identity.ts).
      await until(() => {
        fs.writeFileSync(path, edit)
        return fs.statSync(path).mtimeMs > object.modifiedAtMs + 2
      })
      await assert.rejects(readAll(object.read(0, object.size)), { kind: 'changed' })
      await object.close()
    }
  }
})

/** A file whose reading has begun, and its path. */
async function openHalfRead(t: TestContext) {
  const { drive, folder } = await openDrive(t)
  await put(drive, 'k', large)
  const object = await drive.open(bucket, 'k')
  assert.ok(object)
  const chunks = object.read(0, object.size)
  const iterator = chunks[Symbol.asyncIterator]()
  const first = await iterator.next()
  const rest = async () => {
    const texts = [Buffer.from(first.value ?? []).toString()]
    for await (const chunk of { [Symbol.asyncIterator]: () => iterator }) {
      texts.push(Buffer.from(chunk).toString())
    }
    await object.close()
    return texts.join('')
  }
  return { drive, path: join(folder, 'k'), rest }
}

test('a long read rejects when the file was edited and its time restored', async (t) => {
  const { path, rest } = await openHalfRead(t)
  execFileSync('cp', ['-p', path, `${path}.time`])
  fs.writeFileSync(path, large.replaceAll('a', 'b'), { flag: 'r+' })
  execFileSync('touch', ['-r', `${path}.time`, path])
  await assert.rejects(rest(), { kind: 'changed' })
})

const harmless: Readonly<Record<string, (path: string, drive: Drive) => unknown>> = {
  'got another permission': (path) => fs.chmodSync(path, 0o600),
  'got a hard link': (path) => fs.linkSync(path, `${path}.link`),
  'was renamed': (path) => fs.renameSync(path, `${path}.renamed`),
  'was renamed and replaced': (path) => {
    fs.renameSync(path, `${path}.renamed`)
    fs.writeFileSync(path, 'other')
  },
  'was removed': (path) => fs.unlinkSync(path),
  'was removed by the gateway': (_, drive) => drive.remove(bucket, 'k'),
  'was overwritten by the gateway': (_, drive) => put(drive, 'k', 'other'),
  'had to make way for a folder': (_, drive) => put(drive, 'k/below', 'other'),
}
for (const [name, change] of Object.entries(harmless)) {
  test(`a long read of a file that ${name} ends as it began`, async (t) => {
    const { drive, path, rest } = await openHalfRead(t)
    await change(path, drive)
    assert.ok((await rest()) === large)
  })
}

test('close ends an iteration in progress, and may be called again', async (t) => {
  const { drive } = await openDrive(t)
  await put(drive, 'k', large)
  for (let round = 0; round < 50; round++) {
    const object = await drive.open(bucket, 'k')
    assert.ok(object)
    const chunks = object.read(0, object.size)
    const iterator = chunks[Symbol.asyncIterator]()
    assert.equal((await iterator.next()).done, false)
    const pending = iterator.next()
    await Promise.all([object.close(), object.close()])
    await pending
    assert.equal((await iterator.next()).done, true)
    assert.equal(await readAll(object.read(0, 10)), '')
  }
})

test('open leaves no descriptor behind', { skip: process.platform !== 'linux' }, async (t) => {
  const { drive } = await openDrive(t)
  await put(drive, 'a/k', large)
  await put(drive, 'a/small', 'x')
  const before = openFileCount()
  for (let round = 0; round < 50; round++) {
    for (const key of ['a/k', 'a/small', 'a', 'nothing', 'a/k/x']) {
      const object = await drive.open(bucket, key)
      for await (const _ of object?.read(0, object.size) ?? []) break
      await object?.close()
      await drive.head(bucket, key)
    }
    await put(drive, 'b/new/k', 'x', {})
    await assert.rejects(put(drive, 'a/k', 'x', { ifNoneMatch: '*' }))
    await drive.remove(bucket, 'b/new/k')
    await drive.list(bucket, { prefix: '', after: '' }).next(10)
    const draft = await drive.draft(bucket, 'd', {})
    await draft.write(Buffer.alloc(10))
    await draft.discard()
  }
  // A file that is read often is kept open for a few seconds.
  await until(() => openFileCount() === before)
})

/** Readers of one object with clients that take nothing until `go` is called. */
async function lendToMany(object: OpenObject, count: number) {
  const gate = Promise.withResolvers<void>()
  const begun: Promise<void>[] = []
  const texts = Array.from({ length: count }, async () => {
    const first = Promise.withResolvers<void>()
    begun.push(first.promise)
    const pieces: string[] = []
    await object.lend?.(0, object.size, async (chunk) => {
      first.resolve()
      await gate.promise
      pieces.push(Buffer.from(chunk).toString())
    })
    return pieces.join('')
  })
  await Promise.all(begun)
  return { go: gate.resolve, fail: gate.reject, texts }
}

test('readers with stalled clients share a bounded memory', async (t) => {
  const { drive } = await openDrive(t)
  await put(drive, 'k', large)
  const object = await drive.open(bucket, 'k')
  assert.ok(object)
  collectGarbage()
  const before = process.memoryUsage().arrayBuffers
  const { go, texts } = await lendToMany(object, 600)
  collectGarbage()
  const held = process.memoryUsage().arrayBuffers - before
  assert.ok(held < 90 * 1024 * 1024, `${held} bytes for 600 readers`)
  go()
  for (const text of texts) assert.equal(await text, large)
  await object.close()
})

test('a reader releases its memory however it ends', async (t) => {
  const { drive } = await openDrive(t)
  await put(drive, 'k', large)
  const most = async (): Promise<number> => {
    const object = await drive.open(bucket, 'k')
    assert.ok(object)
    let longest = 0
    await object.lend?.(0, object.size, async (chunk) => {
      longest = Math.max(longest, chunk.length)
    })
    await object.close()
    return longest
  }
  const largest = await most()
  for (const ending of ['failed', 'closed'] as const) {
    const object = await drive.open(bucket, 'k')
    assert.ok(object)
    const { go, fail, texts } = await lendToMany(object, 200)
    if (ending === 'failed') fail(new Error('the client is gone'))
    const closing = object.close()
    go()
    await Promise.allSettled([...texts, closing])
    assert.equal(await most(), largest)
  }
})
