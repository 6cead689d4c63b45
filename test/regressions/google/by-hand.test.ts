/** Changes that only users of Drive's web page can make. */
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import {
  bucket,
  get,
  getText,
  listKeys,
  md5Of,
  put,
  rejectsAs,
} from '../../contract/drive/stored-object.ts'
import {
  driveFolder,
  folderAt,
  type GoogleDrive,
  googleWorld,
} from '../../contract/google-drive-under-test.ts'
import type { GoogleEmulator } from '../../fakes/google/google-emulator.ts'

interface Scene {
  readonly drive: GoogleDrive
  readonly emulator: GoogleEmulator
  /** Of the bucket's folder. */
  readonly home: string
  readonly warnings: readonly string[]
}

async function scene(t: TestContext): Promise<Scene> {
  const { open, emulator, warnings } = await googleWorld(t)
  const drive = await open()
  // From now on the feed is read only when a test does it.
  await drive.refresh()
  return { drive, emulator, warnings, home: folderAt(emulator, `${driveFolder}/${bucket}`) }
}

function idOf({ emulator, home }: Scene, path: string): string {
  const names = path.split('/')
  const name = names.pop()
  const parent = names.reduce((id, folder) => {
    const found = emulator.byHand.children(id).find((child) => child.name === folder)
    assert.ok(found, folder)
    return found.id
  }, home)
  const file = emulator.byHand.children(parent).find((child) => child.name === name)
  assert.ok(file, path)
  return file.id
}

describe('duplicates', () => {
  test('are one object, the newest; the others are logged once', async (t) => {
    const { drive, emulator, home, warnings } = await scene(t)
    const { byHand } = emulator
    const nowMs = Date.now()
    await byHand.file('a', 'older', { parent: home, modifiedAtMs: nowMs - 2000 })
    await byHand.file('a', 'newest', { parent: home, modifiedAtMs: nowMs })
    await byHand.file('a', 'old', { parent: home, modifiedAtMs: nowMs - 1000 })
    await drive.refresh()
    for (let look = 0; look < 3; look++) assert.equal(await getText(drive, 'a'), 'newest')
    assert.deepEqual(await listKeys(drive), ['a'])
    const [entry] = await drive.list(bucket, { prefix: '', after: '' }).next(9)
    assert.equal(entry?.kind === 'object' && entry.etag, md5Of(Buffer.from('newest')))
    assert.equal(warnings.filter((warning) => warning.includes('one object')).length, 1)
  })

  test('of the same time are ordered by id, in lookups and listings', async (t) => {
    const { drive, emulator, home } = await scene(t)
    const modifiedAtMs = Date.now()
    const texts = new Map<string, string>()
    for (const text of ['one', 'two', 'three']) {
      texts.set(await emulator.byHand.file('a', text, { parent: home, modifiedAtMs }), text)
    }
    await drive.refresh()
    const expected = texts.get([...texts.keys()].sort().at(-1) ?? '')
    assert.equal(await getText(drive, 'a'), expected)
    const [entry] = await drive.list(bucket, { prefix: '', after: '' }).next(9)
    assert.equal(entry?.kind === 'object' && entry.size, expected?.length)
  })

  test('are overwritten only in the newest, and all removed', async (t) => {
    const { drive, emulator, home } = await scene(t)
    const { byHand } = emulator
    await byHand.file('a', 'older', { parent: home, modifiedAtMs: Date.now() - 2000 })
    const newest = await byHand.file('a', 'newest', { parent: home })
    await drive.refresh()
    await put(drive, 'a', 'written')
    assert.equal(byHand.get(newest).content?.size, 'written'.length)
    assert.equal(await getText(drive, 'a'), 'written')
    assert.equal((await drive.remove(bucket, 'a')) !== undefined, true)
    assert.equal(await getText(drive, 'a'), undefined)
    await drive.refresh()
    assert.equal(await drive.head(bucket, 'a'), undefined, 'no duplicate takes its place')
    assert.ok(byHand.children(home).every((child) => child.isTrashed))
  })

  test('that a user has just renamed or moved are not removed', async (t) => {
    const { drive, emulator, home } = await scene(t)
    const { byHand } = emulator
    const nowMs = Date.now()
    const ids: string[] = []
    for (const text of ['renamed', 'moved', 'stays', 'newest']) {
      const modifiedAtMs = nowMs - 5000 + ids.length
      ids.push(await byHand.file('a', text, { parent: home, modifiedAtMs }))
    }
    await drive.refresh()
    const [renamed = '', moved = ''] = ids
    byHand.rename(renamed, 'kept')
    byHand.move(moved, byHand.folder('elsewhere', home))
    assert.equal((await drive.remove(bucket, 'a')) !== undefined, true)
    await drive.refresh()
    assert.deepEqual(await listKeys(drive), ['elsewhere/a', 'kept'])
    assert.equal(await getText(drive, 'kept'), 'renamed')
    assert.equal(await getText(drive, 'elsewhere/a'), 'moved')
  })

  test('that are folders are one folder', async (t) => {
    const { drive, emulator, home } = await scene(t)
    const { byHand } = emulator
    const first = byHand.folder('f', home)
    emulator.clock.advance(1000)
    const second = byHand.folder('f', home)
    await byHand.file('a', 'in the first', { parent: first })
    await byHand.file('b', 'in the second', { parent: second })
    await byHand.file('deep', 'deep', { parent: byHand.folder('g', second) })
    await drive.refresh()
    assert.deepEqual(await listKeys(drive), ['f/a', 'f/b', 'f/g/deep'])
    assert.deepEqual(await listKeys(drive, { delimiter: '/' }), ['f/'])
    assert.equal(await getText(drive, 'f/a'), 'in the first')
    assert.equal(await getText(drive, 'f/b'), 'in the second')
    await put(drive, 'f/b', 'again')
    await put(drive, 'f/c', 'new')
    assert.deepEqual(await listKeys(drive), ['f/a', 'f/b', 'f/c', 'f/g/deep'])
    assert.equal(byHand.children(second).length, 2, 'b stays where it is')
    assert.equal(byHand.children(first).length, 2, 'new files are created in the oldest')
  })
})

describe('what has no bytes', () => {
  test("is hidden: Google's own documents and shortcuts", async (t) => {
    const { drive, emulator, home } = await scene(t)
    const { byHand } = emulator
    const target = await byHand.file('file', 'x', { parent: home })
    byHand.googleDocument('document', home)
    byHand.shortcut('shortcut', target, home)
    await drive.refresh()
    assert.deepEqual(await listKeys(drive), ['file'])
    for (const key of ['document', 'shortcut']) {
      assert.equal(await drive.head(bucket, key), undefined)
      await put(drive, key, 'beside it')
      assert.equal(await getText(drive, key), 'beside it')
    }
  })

  test('keeps a folder that only keys created', async (t) => {
    const it = await scene(t)
    await put(it.drive, 'f/own', 'x')
    const folder = idOf(it, 'f')
    it.emulator.byHand.googleDocument('document', folder)
    assert.equal((await it.drive.remove(bucket, 'f/own')) !== undefined, true)
    assert.equal(it.emulator.byHand.get(folder).isTrashed, false)
  })
})

describe('a name', () => {
  test('is case-sensitive', async (t) => {
    const { drive, emulator, home } = await scene(t)
    await put(drive, 'Photo.JPG', 'upper')
    await emulator.byHand.file('photo.jpg', 'lower', { parent: home })
    await drive.refresh()
    await put(drive, 'PHOTO.jpg', 'other')
    assert.deepEqual(await listKeys(drive), ['PHOTO.jpg', 'Photo.JPG', 'photo.jpg'])
    assert.equal(await getText(drive, 'photo.jpg'), 'lower')
    assert.equal(await getText(drive, 'Photo.JPG'), 'upper')
  })

  test('with a slash has a separate key, which leads back to the same file', async (t) => {
    const it = await scene(t)
    const { drive, emulator, home } = it
    const id = await emulator.byHand.file('AC/DC', 'by hand', { parent: home })
    await put(drive, 'AC/DC', 'in a folder')
    await drive.refresh()
    assert.deepEqual(await listKeys(drive), ['AC%2FDC', 'AC/DC'])
    assert.equal(await getText(drive, 'AC%2FDC'), 'by hand')
    await put(drive, 'AC%2FDC', 'by key')
    assert.equal(emulator.byHand.get(id).content?.size, 'by key'.length)
    assert.equal(emulator.byHand.get(id).name, 'AC/DC')
    assert.equal(await getText(drive, 'AC/DC'), 'in a folder')
  })

  test('of a folder that a user changes also changes the keys below it', async (t) => {
    const it = await scene(t)
    const { drive, emulator } = it
    for (const key of ['f/a', 'f/g/b']) await put(drive, key, key)
    emulator.byHand.rename(idOf(it, 'f'), 'renamed')
    await drive.refresh()
    assert.deepEqual(await listKeys(drive), ['renamed/a', 'renamed/g/b'])
    assert.equal(await getText(drive, 'renamed/g/b'), 'f/g/b')
  })
})

describe('a folder', () => {
  for (const tellsOfDescendants of [false, true]) {
    const reported = tellsOfDescendants ? 'all descendants reported' : 'only the folder reported'
    test(`in the trash hides what is below, and restores it (${reported})`, async (t) => {
      const it = await scene(t)
      const { drive, emulator } = it
      emulator.files.tellsOfDescendants = tellsOfDescendants
      for (const key of ['f/a', 'f/g/b', 'c']) await put(drive, key, key)
      const folder = idOf(it, 'f')
      emulator.byHand.trash(folder)
      await drive.refresh()
      assert.deepEqual(await listKeys(drive), ['c'])
      assert.equal(await drive.head(bucket, 'f/g/b'), undefined)
      emulator.byHand.restore(folder)
      await drive.refresh()
      assert.deepEqual(await listKeys(drive), ['c', 'f/a', 'f/g/b'])
      assert.equal(await getText(drive, 'f/g/b'), 'f/g/b')
    })
  }

  test('in the trash is created again for the next key, and merged when restored', async (t) => {
    const it = await scene(t)
    const { drive, emulator } = it
    await put(drive, 'f/a', 'old')
    const folder = idOf(it, 'f')
    // The index does not have the change yet.
    emulator.byHand.trash(folder)
    await put(drive, 'f/b', 'new')
    assert.deepEqual(await listKeys(drive), ['f/b'])
    await drive.refresh()
    assert.deepEqual(await listKeys(drive), ['f/b'])
    emulator.byHand.restore(folder)
    await drive.refresh()
    assert.deepEqual(await listKeys(drive), ['f/a', 'f/b'])
  })

  test('that was permanently deleted is created again for the next key', async (t) => {
    const it = await scene(t)
    const { drive, emulator } = it
    await put(drive, 'f/g/a', 'old')
    emulator.byHand.delete(idOf(it, 'f'))
    await put(drive, 'f/g/b', 'new')
    await drive.refresh()
    assert.deepEqual(await listKeys(drive), ['f/g/b'])
  })

  test('that is moved in brings its content; that is moved out takes it away', async (t) => {
    const { drive, emulator, home } = await scene(t)
    const { byHand } = emulator
    const outside = byHand.folder('outside')
    const inner = byHand.folder('inner', outside)
    await byHand.file('a', 'a', { parent: outside })
    await byHand.file('b', 'b', { parent: inner })
    await drive.refresh()
    assert.deepEqual(await listKeys(drive), [])
    byHand.move(outside, home)
    await drive.refresh()
    assert.deepEqual(await listKeys(drive), ['outside/a', 'outside/inner/b'])
    byHand.move(outside, emulator.rootFolderId)
    await drive.refresh()
    assert.deepEqual(await listKeys(drive), [])
    await byHand.file('c', 'c', { parent: inner })
    byHand.trash(byHand.children(outside).find((child) => child.name === 'a')?.id ?? '')
    await drive.refresh()
    byHand.move(outside, home)
    await drive.refresh()
    assert.deepEqual(await listKeys(drive), ['outside/inner/b', 'outside/inner/c'])
  })

  test('that is moved to another bucket takes its objects along', async (t) => {
    const it = await scene(t)
    const { drive, emulator } = it
    await put(drive, 'f/a', 'x')
    emulator.byHand.move(idOf(it, 'f'), folderAt(emulator, `${driveFolder}/beta`))
    await drive.refresh()
    assert.deepEqual(await listKeys(drive), [])
    assert.equal(String(await get(drive, 'f/a', 'beta')), 'x')
  })

  test('of a bucket that is missing causes an error, not an empty listing', async (t) => {
    const { drive, emulator, home } = await scene(t)
    await put(drive, 'a', 'x')
    emulator.byHand.trash(home)
    await drive.refresh()
    await rejectsAs(drive.head(bucket, 'a'), 'no-bucket')
    await rejectsAs(listKeys(drive), 'no-bucket')
    await rejectsAs(put(drive, 'b', 'x'), 'no-bucket')
    emulator.byHand.restore(home)
    await drive.refresh()
    assert.equal(await getText(drive, 'a'), 'x')
  })
})

describe('a file that a user changes before the index is updated', () => {
  test('is not overwritten under its new name', async (t) => {
    const it = await scene(t)
    const { drive, emulator } = it
    await put(drive, 'a', 'mine')
    emulator.byHand.rename(idOf(it, 'a'), 'b')
    await put(drive, 'a', 'new')
    await drive.refresh()
    assert.equal(await getText(drive, 'a'), 'new')
    assert.equal(await getText(drive, 'b'), 'mine')
  })

  test('is not removed under its new name', async (t) => {
    const it = await scene(t)
    const { drive, emulator } = it
    await put(drive, 'a', 'mine')
    emulator.byHand.rename(idOf(it, 'a'), 'b')
    assert.equal((await drive.remove(bucket, 'a')) !== undefined, false)
    await drive.refresh()
    assert.equal(await getText(drive, 'b'), 'mine')
  })

  test('is not revived by an overwrite when it is in the trash', async (t) => {
    const it = await scene(t)
    const { drive, emulator } = it
    await put(drive, 'a', 'old')
    const old = idOf(it, 'a')
    emulator.byHand.trash(old)
    await rejectsAs(put(drive, 'a', 'new', { conditions: { ifMatch: '*' } }), 'not-found')
    await put(drive, 'a', 'new')
    assert.equal(await getText(drive, 'a'), 'new')
    assert.equal(emulator.byHand.get(old).content?.size, 3)
    assert.equal(emulator.byHand.get(old).isTrashed, true)
  })

  for (const size of [1000, 700_000]) {
    test(`is never read as a mixture (${size} bytes)`, async (t) => {
      const it = await scene(t)
      const { drive, emulator } = it
      await put(drive, 'a', Buffer.alloc(size, 1))
      await emulator.byHand.replace(idOf(it, 'a'), Buffer.alloc(size, 2))
      await rejectsAs(get(drive, 'a'), 'changed')
      assert.ok((await get(drive, 'a'))?.equals(Buffer.alloc(size, 2)), 'it was looked up')
    })
  }

  test('does not exist when it is read after a permanent deletion', async (t) => {
    const it = await scene(t)
    const { drive, emulator } = it
    await put(drive, 'a', 'x')
    emulator.byHand.delete(idOf(it, 'a'))
    await rejectsAs(get(drive, 'a'), 'changed')
    assert.equal(await get(drive, 'a'), undefined)
  })

  test('does not keep the attributes of its previous bytes when it is edited', async (t) => {
    const it = await scene(t)
    const { drive, emulator } = it
    const attributes = { metadata: { of: 'the old bytes' }, headers: { 'content-type': 'a/b' } }
    await put(drive, 'a', 'old', { attributes })
    await emulator.byHand.replace(idOf(it, 'a'), 'edited')
    await drive.refresh()
    const facts = await drive.head(bucket, 'a')
    assert.deepEqual(facts?.attributes.metadata, {})
    assert.equal(facts?.attributes.etag, md5Of(Buffer.from('edited')))
  })
})
