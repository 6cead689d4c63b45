import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Drive } from '../../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../../src/storage/drives/drive-error.ts'
import {
  type MemoryDrive,
  openMemoryDrive,
} from '../../../../src/storage/drives/memory/memory-drive.ts'
import {
  deletePrefix,
  leftFolder,
  removeFolders,
} from '../../../../src/storage/jobs/delete-prefix.ts'
import { keysOf, put } from '../../dashboard/management/management-fixture.ts'
import { openDrive } from '../drives/local/open-drive.ts'

async function memoryDrive(keys: readonly string[]): Promise<MemoryDrive> {
  const drive = openMemoryDrive()
  await drive.prepare(['files'])
  for (const key of keys) await put(drive, key)
  return drive
}

async function run(
  drive: Pick<Drive, 'list' | 'remove'>,
  prefix: string,
  signal = new AbortController().signal,
): Promise<number> {
  let deleted = 0
  const onDeleted = () => {
    deleted += 1
  }
  await deletePrefix({ drive, bucket: 'files', prefix, signal, onDeleted })
  return deleted
}

const keys = ['a', 'a-b', 'a/', 'a//', 'a/a', 'a/d/a', 'a/é', 'ab', 'b', 'b/a/']

for (const [prefix, left] of [
  ['a', ['b', 'b/a/']],
  ['a/', ['a', 'a-b', 'ab', 'b', 'b/a/']],
  ['a/d', ['a', 'a-b', 'a/', 'a//', 'a/a', 'a/é', 'ab', 'b', 'b/a/']],
  ['a/a', ['a', 'a-b', 'a/', 'a//', 'a/d/a', 'a/é', 'ab', 'b', 'b/a/']],
  ['c', keys],
  ['b/a/b', keys],
] as const) {
  test(`deletePrefix of ${prefix} removes exactly the keys that begin with it`, async () => {
    const drive = await memoryDrive(keys)
    assert.equal(await run(drive, prefix), keys.length - left.length)
    assert.deepEqual(await keysOf(drive), left)
  })
}

test('deletePrefix takes a folder of a local drive with everything in it, page by page', async (t) => {
  const { drive, root } = await openDrive(t)
  await drive.prepare(['files'])
  const folder = join(root, 'files', 'by hand')
  for (let index = 0; index < 40; index++) {
    const path = join(folder, `folder ${index % 7}`, `deeper ${index % 3}`)
    mkdirSync(path, { recursive: true })
    for (let file = 0; file < 30; file++) writeFileSync(join(path, `${index}-${file}`), 'x')
  }
  for (const key of ['by hand/', 'by hand/own/a', 'by hand/own/a/b', 'by handy', 'other']) {
    await put(drive, key)
  }
  assert.equal(await run(drive, 'by hand/'), 1_203)
  assert.deepEqual(await keysOf(drive), ['by handy', 'other'])
  // Made by hand, unlike `own`.
  assert.equal(await leftFolder(drive, 'files', 'by hand/'), 'by hand/')
  assert.equal(await leftFolder(drive, 'files', 'by hand/own/'), undefined)
  assert.equal(await leftFolder(drive, 'files', 'by hand/folder'), 'by hand/folder 0/')
  const removal = { drive, bucket: 'files', signal: new AbortController().signal }
  await removeFolders(removal, 'by hand/folder 0')
  assert.equal(await leftFolder(drive, 'files', 'by hand/folder 0'), undefined)
  assert.equal(await leftFolder(drive, 'files', 'by hand/folder'), 'by hand/folder 1/')
  await put(drive, 'by hand/folder 1/came meanwhile')
  await removeFolders(removal, 'by hand/')
  assert.deepEqual(await keysOf(drive), ['by hand/folder 1/came meanwhile', 'by handy', 'other'])
  assert.deepEqual(readdirSync(join(root, 'files/by hand')), ['folder 1'])
})

test('deletePrefix also removes objects added while it runs', async () => {
  const drive = await memoryDrive(['a/1', 'a/2'])
  let hasCome = false
  const remove: Drive['remove'] = async (bucket, key) => {
    if (!hasCome) {
      hasCome = true
      await put(drive, 'a/0')
    }
    return drive.remove(bucket, key)
  }
  assert.equal(await run({ list: drive.list.bind(drive), remove }, 'a/'), 3)
  assert.deepEqual(await keysOf(drive), [])
})

test('deletePrefix ends even if objects keep being added below the prefix', async () => {
  const drive = await memoryDrive(['a/0'])
  let next = 1
  const remove: Drive['remove'] = async (bucket, key) => {
    await put(drive, `a/${next++}`)
    return drive.remove(bucket, key)
  }
  // In key order, each new key follows the deleted ones, up to the tenth.
  const deleted = await run({ list: drive.list.bind(drive), remove }, 'a/')
  assert.ok(deleted >= 3)
  assert.equal((await keysOf(drive)).length, 1)
})

test('deletePrefix retries deletions that a busy drive rejects', async () => {
  const drive = await memoryDrive(['a/1', 'a/2'])
  let refusals = 2
  const remove: Drive['remove'] = async (bucket, key) => {
    if (refusals-- > 0) throw new DriveError('busy', 'later', { retryAfterSeconds: 0 })
    return drive.remove(bucket, key)
  }
  assert.equal(await run({ list: drive.list.bind(drive), remove }, 'a/'), 2)
})

test('deletePrefix stops at the first removal that the drive refuses', async () => {
  const drive = await memoryDrive(Array.from({ length: 50 }, (_, index) => `a/${index}`))
  let asked = 0
  const remove: Drive['remove'] = async () => {
    asked += 1
    throw new DriveError('denied', 'The file belongs to root.')
  }
  await assert.rejects(run({ list: drive.list.bind(drive), remove }, 'a/'), {
    message: 'The file belongs to root.',
  })
  assert.ok(asked <= 8)
})

test('deletePrefix stops promptly when aborted, even if a removal hangs', async () => {
  const drive = await memoryDrive(['a/1', 'a/2'])
  const hanging: Drive['remove'] = () => new Promise(() => undefined)
  const stopping = new AbortController()
  const running = run({ list: drive.list.bind(drive), remove: hanging }, 'a/', stopping.signal)
  setImmediate(() => stopping.abort('enough'))
  await assert.rejects(running, (reason) => reason === 'enough')
  const listing = {
    list: () => ({ next: () => new Promise<never>(() => undefined), seek: () => undefined }),
  }
  const stopped = AbortSignal.abort('stopped')
  await assert.rejects(
    run({ ...listing, remove: hanging }, 'a/', stopped),
    (reason) => reason === 'stopped',
  )
})

test('deletePrefix counts removals in progress when it is aborted', async () => {
  const drive = await memoryDrive(Array.from({ length: 50 }, (_, index) => `a/${index}`))
  const stopping = new AbortController()
  const remove: Drive['remove'] = async (bucket, key) => {
    stopping.abort('enough')
    await new Promise((resolve) => setTimeout(resolve, 20))
    return drive.remove(bucket, key)
  }
  let deleted = 0
  await assert.rejects(
    deletePrefix({
      ...{ drive: { list: drive.list.bind(drive), remove }, bucket: 'files', prefix: 'a/' },
      signal: stopping.signal,
      onDeleted: () => {
        deleted += 1
      },
    }),
    (reason) => reason === 'enough',
  )
  assert.ok(deleted > 0)
  assert.equal((await keysOf(drive)).length, 50 - deleted)
})

test('leftFolder finds none with objects below, or with only similar names', async () => {
  const drive = await memoryDrive(['a', 'a-b', 'a/b', 'ab/c'])
  for (const prefix of ['a/', 'a', 'ab/', 'a/b', 'c', 'a/b/']) {
    assert.equal(await leftFolder(drive, 'files', prefix), undefined, prefix)
  }
})
