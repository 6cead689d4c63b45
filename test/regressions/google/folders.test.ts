/** Folders of the Google drive, which are removed when empty and listed when new. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { DriveError } from '../../../src/storage/drives/drive-error.ts'
import {
  bucket,
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
  type GoogleDrive,
  googleWorld,
  hastyApi,
} from '../../contract/google-drive-under-test.ts'
import type { GoogleEmulator } from '../../fakes/google/google-emulator.ts'
import { replacing } from './replaced-calls.ts'

const home = `${driveFolder}/${bucket}`

/** An API that delays the lists of one folder. */
function holdingApi(emulator: GoogleEmulator) {
  const api = hastyApi(emulator)
  let release: () => void = () => undefined
  let isReleased = Promise.resolve()
  const gate = {
    folder: '',
    shut(folder: string) {
      gate.folder = folder
      isReleased = new Promise((resolve) => {
        release = () => resolve()
      })
    },
    open: () => release(),
  }
  const listFiles: typeof api.listFiles = async (query) => {
    if (gate.folder !== '' && query.q?.includes(gate.folder)) {
      const gone = query.signal && once(query.signal, 'abort')
      await Promise.race([isReleased, ...(gone ? [gone] : [])])
    }
    return await api.listFiles(query)
  }
  return { api: replacing(api, { listFiles }), gate }
}

async function keysIn(drive: GoogleDrive, name: string): Promise<string[]> {
  const entries = await drive.list(name, { prefix: '', after: '' }).next(1000)
  return entries.map((entry) => entry.key)
}

describe('an empty folder that is removed', () => {
  for (const feed of ['the feed lacks the file', 'the feed has the file']) {
    test(`does not take along a file that is added meanwhile (${feed})`, async (t) => {
      const { open, emulator } = await googleWorld(t)
      const [trashing, written, uploading] = Array.from({ length: 3 }, () =>
        Promise.withResolvers<void>(),
      )
      const slow = hastyApi(emulator)
      const remover = await open({
        api: replacing(slow, {
          async trash(id, options) {
            if (emulator.byHand.get(id).content !== undefined) return await slow.trash(id, options)
            trashing?.resolve()
            await written?.promise
            return await slow.trash(id, options)
          },
        }),
      })
      const other = hastyApi(emulator)
      const writer = await open({
        api: replacing(other, {
          async uploadSmall(upload) {
            uploading?.resolve()
            await trashing?.promise
            const file = await other.uploadSmall(upload)
            if (feed === 'the feed has the file') await keeper.refresh()
            return file
          },
        }),
      })
      const keeper = await open()
      await put(keeper, 'f/g/a', 'a')
      const putting = put(writer, 'f/g/b', 'b')
      await uploading?.promise
      const removing = remover.remove(bucket, 'f/g/a')
      await trashing?.promise
      // That is enough for a writer that assumes that the folder stays.
      await Promise.race([putting, new Promise((resolve) => setTimeout(resolve, 500))])
      written?.resolve()
      await Promise.all([removing, putting])
      await keeper.refresh()
      assert.equal(await getText(keeper, 'f/g/b'), 'b')
      assert.deepEqual(await listKeys(keeper), ['f/g/b'])
    })
  }

  for (const kind of ['denied', 'unavailable'] as const) {
    test(`is restored in the index when it could not be removed (${kind})`, async (t) => {
      const { open, emulator } = await googleWorld(t)
      const api = hastyApi(emulator)
      const trash = () => Promise.reject(new DriveError(kind, 'not now'))
      const drive = await open({ api: replacing(api, { trash }) })
      emulator.byHand.folder('theirs', folderAt(emulator, home))
      await drive.refresh()
      await rejectsAs(Promise.resolve(drive.removeFolder?.(bucket, 'theirs/')), kind)
      await drive.refresh()
      assert.deepEqual(await listKeys(drive, { delimiter: '/' }), ['theirs/'])
      await put(drive, 'theirs/a', 'x')
      assert.deepEqual(
        emulator.byHand.children(folderAt(emulator, home)).map((child) => child.name),
        ['theirs'],
      )
    })
  }
})

describe('a folder that is not listed yet', () => {
  test('is listed when a request needs its content', async (t) => {
    const { open, emulator } = await googleWorld(t)
    const { byHand } = emulator
    const first = await open()
    await first.refresh()
    const extra = byHand.folder('extra', folderAt(emulator, driveFolder))
    const inner = byHand.folder('inner', extra)
    await byHand.file('a', 'x', { parent: extra })
    await byHand.file('b', 'theirs', { parent: inner })
    await first.refresh()
    // The first one syncs the index and does not have this bucket.
    const second = await open()
    await second.prepare(['extra'])
    assert.equal((await second.head('extra', 'inner/b'))?.size, 6)
    assert.deepEqual(await keysIn(second, 'extra'), ['a', 'inner/b'])
    const conditions = { ifNoneMatch: '*' } as const
    const again = put(second, 'inner/b', 'mine', { bucket: 'extra', conditions })
    await rejectsAs(again, 'condition')
    await put(second, 'inner/b', 'mine', { bucket: 'extra' })
    assert.equal(byHand.children(inner).length, 1)
  })

  test('delays requests for its content, but no others', async (t) => {
    const { open, emulator } = await googleWorld(t)
    const { byHand } = emulator
    const { api, gate } = holdingApi(emulator)
    const drive = await open({ api })
    await put(drive, 'z', 'x')
    await put(drive, 'f/z', 'x')
    const folder = byHand.folder('in', byHand.folder('outside'))
    await byHand.file('k', 'theirs', { parent: folder })
    await drive.refresh()
    gate.shut(folder)
    byHand.move(folder, folderAt(emulator, home))
    const refreshing = drive.refresh()
    while ((await listKeys(drive, { delimiter: '/' }).catch(() => [])).length < 3) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    assert.deepEqual(await listKeys(drive, { delimiter: '/' }), ['f/', 'in/', 'z'])
    assert.deepEqual(await listKeys(drive, { prefix: 'f/' }), ['f/z'])
    assert.equal(await drive.head(bucket, 'none'), undefined)
    assert.equal((await drive.head(bucket, 'f/z'))?.size, 1)
    const conditions = { ifNoneMatch: '*' } as const
    await Promise.all([
      rejectsAs(drive.head(bucket, 'in/k'), 'busy'),
      rejectsAs(listAll(drive), 'busy'),
      rejectsAs(listAll(drive, { prefix: 'in/', delimiter: '/' }), 'busy'),
      rejectsAs(put(drive, 'in/k', 'mine', { conditions }), 'busy'),
    ])
    const waiting = [drive.head(bucket, 'in/k'), drive.head(bucket, 'in/none')] as const
    gate.open()
    assert.equal((await waiting[0])?.size, 6)
    assert.equal(await waiting[1], undefined)
    await refreshing
    assert.deepEqual(await listKeys(drive), ['f/z', 'in/k', 'z'])
  })

  test('does not delay requests for other buckets during the first crawl', async (t) => {
    const { open, emulator } = await googleWorld(t)
    const before = await open()
    for (const name of [bucket, 'beta']) await put(before, 'f/k', 'x', { bucket: name })
    const { options } = await emptyDatabase(t)
    const { api, gate } = holdingApi(emulator)
    gate.shut(folderAt(emulator, home))
    const drive = await open({ ...options, api })
    assert.equal((await drive.head('beta', 'f/k'))?.size, 1)
    assert.deepEqual(await keysIn(drive, 'beta'), ['f/k'])
    await put(drive, 'f/new', 'x', { bucket: 'beta' })
    const held = drive.head(bucket, 'f/k')
    gate.open()
    assert.equal((await held)?.size, 1)
  })

  test('is listed again in the background when the page token has expired', async (t) => {
    const { open, emulator } = await googleWorld(t)
    const { api, gate } = holdingApi(emulator)
    const drive = await open({ api })
    await put(drive, 'f/k', 'x')
    await drive.refresh()
    emulator.files.changes.oldest = emulator.files.changes.end()
    gate.shut(folderAt(emulator, `${home}/f`))
    const refreshing = drive.refresh()
    for (let look = 0; look < 20; look++) {
      assert.deepEqual(await listKeys(drive), ['f/k'])
      assert.equal(await drive.head(bucket, 'f/none'), undefined)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    gate.open()
    await refreshing
    assert.equal(await getText(drive, 'f/k'), 'x')
  })

  test('that no longer exists on Google delays nothing', async (t) => {
    const { open, emulator } = await googleWorld(t)
    const { byHand } = emulator
    const { api, gate } = holdingApi(emulator)
    const drive = await open({ api })
    await drive.refresh()
    const parent = folderAt(emulator, home)
    const gone = byHand.folder('gone', parent)
    await byHand.file('k', 'x', { parent: byHand.folder('stays', parent) })
    gate.shut(gone)
    const refreshing = drive.refresh()
    const asked = Promise.resolve(drive.head(bucket, 'gone/k')).catch(() => undefined)
    byHand.delete(gone)
    gate.open()
    await refreshing
    assert.equal(await asked, undefined)
    await byHand.file('later', 'x', { parent })
    await drive.refresh()
    assert.deepEqual(await listKeys(drive), ['later', 'stays/k'])
  })

  test('keeps its files when a list lags', async (t) => {
    const { open, emulator } = await googleWorld(t)
    const { byHand, files } = emulator
    const drive = await open()
    await drive.refresh()
    files.byParent.lagMs = Number.POSITIVE_INFINITY
    const outer = byHand.folder('outer', folderAt(emulator, home))
    const inner = byHand.folder('inner', outer)
    await byHand.file('a', 'x', { parent: outer })
    await byHand.file('b', 'x', { parent: inner })
    // The feed lists a file by its last change, so the folders come after their content.
    byHand.rename(inner, 'in')
    byHand.rename(outer, 'out')
    await drive.refresh()
    assert.deepEqual(await listKeys(drive), ['out/a', 'out/in/b'])
  })
})

describe('a read-only drive', () => {
  test('is read and followed, but nothing is created', async (t) => {
    const { open, emulator } = await googleWorld(t)
    const { byHand } = emulator
    const first = await open()
    await put(first, 'in/k', 'x')
    await first.close()
    const root = folderAt(emulator, driveFolder)
    byHand.trash(folderAt(emulator, `${driveFolder}/beta`))
    const before = byHand.children(root).map(({ name, isTrashed }) => [name, isTrashed])
    const drive = await open({ isReadOnly: true })
    assert.equal((await drive.head(bucket, 'in/k'))?.size, 1)
    await byHand.file('new', 'y', { parent: folderAt(emulator, `${driveFolder}/${bucket}`) })
    await drive.refresh()
    assert.equal((await drive.head(bucket, 'new'))?.size, 1)
    await rejectsAs(drive.head('beta', 'k'), 'no-bucket')
    assert.deepEqual(
      byHand.children(root).map(({ name, isTrashed }) => [name, isTrashed]),
      before,
    )
  })

  test('is not created either', async (t) => {
    const { open, emulator } = await googleWorld(t)
    await rejectsAs(open({ isReadOnly: true }), 'unavailable')
    assert.deepEqual(emulator.byHand.children(emulator.rootFolderId), [])
  })
})
