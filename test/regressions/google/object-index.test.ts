/** How the index of the Google drive is filled and kept up to date. */
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseDriveIndex } from '../../../src/storage/drives/google/index/drive-index-table.ts'
import {
  assertHolds,
  bucket,
  get,
  getText,
  listAll,
  listKeys,
  put,
  rejectsAs,
} from '../../contract/drive/stored-object.ts'
import {
  driveFolder,
  emptyDatabase,
  folderAt,
  googleWorld,
  hastyApi,
} from '../../contract/google-drive-under-test.ts'
import type { GoogleEmulator } from '../../fakes/google/google-emulator.ts'
import { replacing } from './replaced-calls.ts'

/** An API with one kind of call delayed by the test. */
function gatedApi(emulator: GoogleEmulator, method: 'changes' | 'listFiles') {
  const api = hastyApi(emulator)
  const waiting: (() => void)[] = []
  const open = () => {
    for (const go of waiting.splice(0)) go()
  }
  const gate = { isShut: false, waiting, open }
  const call = api[method].bind(api) as (...values: unknown[]) => Promise<unknown>
  const held = async (...values: unknown[]) => {
    // The response is old and arrives late.
    const answer = await call(...values)
    if (gate.isShut) await new Promise<void>((resolve) => waiting.push(resolve))
    return answer
  }
  Object.defineProperty(api, method, { value: held })
  return { api, gate }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(5)
}

/** Folders and files as a user may have created them. */
async function fill(emulator: GoogleEmulator, count: number): Promise<string[]> {
  const { byHand } = emulator
  const top = driveFolder
    .split('/')
    .reduce<string | undefined>((parent, name) => byHand.folder(name, parent), undefined)
  const home = byHand.folder(bucket, top)
  const keys: string[] = []
  for (let folder = 0; folder < count; folder++) {
    const id = byHand.folder(`f${folder}`, home)
    for (let file = 0; file < 3; file++) {
      await byHand.file(`${file}`, `${folder}/${file}`, { parent: id })
      keys.push(`f${folder}/${file}`)
    }
  }
  return keys.sort()
}

describe('calls to Google', () => {
  test('are not needed for HEAD, listings and lookups, and one for GET', async (t) => {
    const { open, emulator } = await googleWorld(t)
    const drive = await open()
    // The first crawl makes calls, too.
    await drive.refresh()
    for (const key of ['a', 'f/b', 'f/g/c']) await put(drive, key, key)
    emulator.counters.reset()
    for (let round = 0; round < 3; round++) {
      assert.equal((await listAll(drive)).length, 3)
      assert.equal((await listAll(drive, { delimiter: '/' })).length, 2)
      assert.ok(await drive.head(bucket, 'f/g/c'))
      assert.equal(await drive.head(bucket, 'none/at/all'), undefined)
      assert.equal(await drive.open(bucket, 'none'), undefined)
      await drive.bucketCreatedAtMs(bucket)
    }
    assert.deepEqual(emulator.counters.calls, {})
    assert.equal(await getText(drive, 'f/g/c'), 'f/g/c')
    assert.deepEqual(emulator.counters.calls, { download: 1 })
  })

  test('are at most two for a small object, new or not', async (t) => {
    const { open, emulator } = await googleWorld(t)
    const drive = await open()
    // The first crawl makes calls, too.
    await drive.refresh()
    await put(drive, 'f/first', 'x')
    emulator.counters.reset()
    await put(drive, 'f/new', Buffer.alloc(1_000_000, 1))
    assert.deepEqual(emulator.counters.calls, { multipart: 1 })
    emulator.counters.reset()
    await put(drive, 'f/new', 'again')
    assert.deepEqual(emulator.counters.calls, { get: 1, multipart: 1 })
  })

  test('keep the file when an object is overwritten, small or large', async (t) => {
    const { open, emulator } = await googleWorld(t)
    const drive = await open()
    // The first crawl makes calls, too.
    await drive.refresh()
    const home = folderAt(emulator, `${driveFolder}/${bucket}`)
    await put(drive, 'a', 'one')
    const [before] = emulator.byHand.children(home)
    for (const size of [5_000_001, 10, 6_000_000]) {
      await put(drive, 'a', Buffer.alloc(size, 3))
      const [after, ...others] = emulator.byHand.children(home)
      assert.deepEqual(others, [])
      assert.equal(after?.id, before?.id)
      assert.equal(after?.content?.size, size)
    }
  })
})

describe('the first crawl', () => {
  test('finds everything, through short and empty pages', async (t) => {
    const { open, emulator } = await googleWorld(t)
    emulator.knobs.pageLimit = 2
    emulator.knobs.hasEmptyPages = true
    const keys = await fill(emulator, 30)
    const drive = await open()
    await drive.refresh()
    assert.deepEqual(await listKeys(drive), keys)
    for (const key of ['f7/2', 'f29/0']) assert.equal(await getText(drive, key), key.slice(1))
  })

  test('delays requests, and rejects them as busy when it takes long', async (t) => {
    const { open, emulator } = await googleWorld(t)
    await fill(emulator, 3)
    const { api, gate } = gatedApi(emulator, 'listFiles')
    const drive = await open({ api })
    await drive.refresh()
    const database = await emptyDatabase(t)
    gate.isShut = true
    const { api: other, gate: shut } = gatedApi(emulator, 'listFiles')
    const late = await open({ ...database.options, api: other })
    shut.isShut = true
    await rejectsAs(late.head(bucket, 'f0/0'), 'busy')
    const held = late.head(bucket, 'f0/0')
    shut.isShut = false
    shut.open()
    assert.equal((await held)?.size, 3)
  })

  test('continues where another process stopped', async (t) => {
    const { open, emulator } = await googleWorld(t)
    const keys = await fill(emulator, 200)
    const { api, gate } = gatedApi(emulator, 'listFiles')
    const first = await open({ api })
    gate.isShut = true
    // Some lists have finished, others are in progress when it ends.
    await until(() => gate.waiting.length > 0)
    gate.waiting.shift()?.()
    await until(() => gate.waiting.length > 0)
    const closing = first.close()
    gate.open()
    gate.isShut = false
    await closing
    const lists = emulator.counters.calls.list ?? 0
    const second = await open()
    await second.refresh()
    assert.deepEqual(await listKeys(second), keys)
    assert.ok(
      (emulator.counters.calls.list ?? 0) - lists < 12,
      'listed folders are not listed again',
    )
  })

  test('loses no change that is made meanwhile', async (t) => {
    const { open, emulator } = await googleWorld(t)
    await fill(emulator, 3)
    const { api, gate } = gatedApi(emulator, 'listFiles')
    gate.isShut = true
    const opening = open({ api })
    while ((emulator.counters.calls.startPageToken ?? 0) === 0) {
      gate.open()
      await sleep(5)
    }
    const home = folderAt(emulator, `${driveFolder}/${bucket}`)
    const { byHand } = emulator
    await byHand.file('late', 'late', { parent: home })
    const [folder] = byHand.children(home)
    byHand.rename(folder?.id ?? '', 'renamed')
    gate.isShut = false
    gate.open()
    const drive = await opening
    await drive.refresh()
    const keys = ['f1/0', 'f1/1', 'f1/2', 'f2/0', 'f2/1', 'f2/2', 'late']
    assert.deepEqual(await listKeys(drive), [...keys, 'renamed/0', 'renamed/1', 'renamed/2'])
  })
})

describe('a lost index', () => {
  test('is restored with the attributes, which are stored with the files', async (t) => {
    const { open, emulator } = await googleWorld(t)
    const first = await open()
    const attributes = {
      headers: { 'content-type': 'text/plain', 'cache-control': 'no-store' },
      metadata: { name: 'värde', more: 'x'.repeat(1500) },
      etag: `${'0123456789abcdef'.repeat(2)}-7`,
    }
    const keys = ['plain', 'a/', 'a//b', 'é/ü', '%2F', '\0', `${'d/'.repeat(100)}deep`]
    for (const key of keys) await put(first, key, key)
    await put(first, 'dressed', 'x', { attributes })
    const { options } = await emptyDatabase(t)
    const second = await open(options)
    await second.refresh()
    assert.deepEqual(await listKeys(second), await listKeys(first))
    for (const key of keys) assert.equal(await getText(second, key), key)
    assert.deepEqual((await second.head(bucket, 'dressed'))?.attributes, attributes)
    for (const key of keys) await second.remove(bucket, key)
    await second.remove(bucket, 'dressed')
    const home = folderAt(emulator, `${driveFolder}/${bucket}`)
    assert.ok(emulator.byHand.children(home).every((child) => child.isTrashed))
  })

  test('is created again when the feed does not reach back far enough', async (t) => {
    const { open, emulator } = await googleWorld(t)
    const drive = await open()
    for (const key of ['f/a', 'f/b', 'gone', 'own']) await put(drive, key, key)
    await drive.refresh()
    const home = folderAt(emulator, `${driveFolder}/${bucket}`)
    const { byHand, files } = emulator
    byHand.delete(byHand.children(home).find((child) => child.name === 'gone')?.id ?? '')
    await byHand.file('new', 'new', { parent: home })
    files.changes.oldest = files.changes.end()
    await drive.refresh()
    await assertHolds(drive, { 'f/a': 'f/a', 'f/b': 'f/b', new: 'new', own: 'own' })
  })

  test('of another folder is not used for this one', async (t) => {
    const { open } = await googleWorld(t)
    const first = await open()
    await put(first, 'a', 'x')
    const second = await open({ folder: 'elsewhere' })
    await second.refresh()
    assert.deepEqual(await listKeys(second), [])
  })
})

describe('changes that are reported late', () => {
  test('do not undo a newer write', async (t) => {
    const { open, emulator } = await googleWorld(t)
    const { api, gate } = gatedApi(emulator, 'changes')
    const drive = await open({ api })
    for (const key of ['changed', 'removed', 'f/removed', 'back']) await put(drive, key, 'old')
    await drive.remove(bucket, 'back')
    gate.isShut = true
    const refreshed = drive.refresh()
    await until(() => gate.waiting.length > 0)
    await put(drive, 'changed', 'newer')
    await drive.remove(bucket, 'removed')
    await drive.remove(bucket, 'f/removed')
    await put(drive, 'back', 'back again')
    gate.isShut = false
    gate.open()
    await refreshed
    await assertHolds(drive, { back: 'back again', changed: 'newer' })
    assert.deepEqual(await listKeys(drive, { delimiter: '/' }), ['back', 'changed'])
  })

  test('do not remove attributes that are only in the database', async (t) => {
    const { open, emulator, database } = await googleWorld(t)
    const index = new DatabaseDriveIndex(database)
    const [sorted, written] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const advance: typeof index.advance = async (root, page) => {
      if (page.files.some((file) => file.kind === 'file')) {
        sorted.resolve()
        await written.promise
      }
      return await index.advance(root, page)
    }
    const keeper = await open({ index: replacing(index, { advance }) })
    await keeper.refresh()
    const api = hastyApi(emulator)
    const uploadSmall: typeof api.uploadSmall = async (upload) => {
      const file = await api.uploadSmall(upload)
      void keeper.refresh()
      // The feed is read before the writer gets the response to its write.
      await sorted.promise
      return file
    }
    const drive = await open({ api: replacing(api, { uploadSmall }) })
    const metadata = { long: 'm'.repeat(1900), longer: 'n'.repeat(1900) }
    await put(drive, 'a', 'x', { attributes: { metadata } })
    written.resolve()
    await keeper.refresh()
    assert.deepEqual((await drive.head(bucket, 'a'))?.attributes.metadata, metadata)
  })

  test('do not hide what this process wrote, even if lists lag', async (t) => {
    const { open, emulator } = await googleWorld(t)
    const drive = await open()
    emulator.files.byName.lagMs = Number.POSITIVE_INFINITY
    emulator.files.byParent.lagMs = Number.POSITIVE_INFINITY
    emulator.files.changes.lagMs = 1e9
    for (let round = 0; round < 3; round++) {
      await put(drive, 'f/a', `${round}`)
      await put(drive, 'f/g/b', `${round}`)
      await assertHolds(drive, { 'f/a': `${round}`, 'f/g/b': `${round}` })
      await drive.refresh()
    }
    await drive.remove(bucket, 'f/a')
    await drive.remove(bucket, 'f/g/b')
    assert.deepEqual(await listKeys(drive, { delimiter: '/' }), [])
    const home = folderAt(emulator, `${driveFolder}/${bucket}`)
    assert.equal(emulator.byHand.children(home).length, 1, 'one folder was made, and no duplicate')
  })
})

describe('several processes', () => {
  test('create one folder, one bucket and one file together', async (t: TestContext) => {
    const { open, emulator } = await googleWorld(t)
    const drives = await Promise.all([open(), open(), open()])
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        put(drives[index % 3] ?? drives[0], index < 6 ? 'f/g/h/same' : `f/g/h/${index}`, 'x'),
      ),
    )
    const names = (id: string): string[] =>
      emulator.byHand
        .children(id)
        .flatMap((child) => [child.name, ...names(child.id).map((name) => `${child.name}/${name}`)])
    const all = names(folderAt(emulator, driveFolder)).sort()
    assert.deepEqual(all, [...new Set(all)], 'no name twice')
    assert.equal(all.filter((name) => name.startsWith('alpha/f/g/h/')).length, 7)
  })

  test("see each other's writes immediately", async (t) => {
    const { open, emulator } = await googleWorld(t)
    const [one, other] = [await open(), await open()]
    emulator.files.changes.lagMs = 1e9
    await put(one, 'f/a', 'x')
    assert.equal(await getText(other, 'f/a'), 'x')
    await other.remove(bucket, 'f/a')
    assert.equal(await get(one, 'f/a'), undefined)
  })
})

describe('removed objects', () => {
  test('go to the trash, or are permanently deleted if configured', async (t) => {
    const { open, emulator } = await googleWorld(t)
    const gentle = await open()
    const home = folderAt(emulator, `${driveFolder}/${bucket}`)
    await put(gentle, 'a', 'x')
    await gentle.remove(bucket, 'a')
    assert.deepEqual(
      emulator.byHand.children(home).map((child) => child.isTrashed),
      [true],
    )
    const harsh = await open({ deletes: 'permanent' })
    await put(harsh, 'f/b', 'x')
    await harsh.remove(bucket, 'f/b')
    const left = emulator.byHand.children(home).map(({ name, isTrashed }) => [name, isTrashed])
    assert.deepEqual(left.sort(), [
      ['a', true],
      ['f', true],
    ])
  })
})
