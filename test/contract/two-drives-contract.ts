import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Database } from '../../src/platform/state/database.ts'
import { type DatabaseLocation, openDatabase } from '../../src/platform/state/open-database.ts'
import { DatabaseDriveIndex } from '../../src/storage/drives/google/index/drive-index-table.ts'
import { DatabaseLeases } from '../../src/storage/drives/kit/key-lease-table.ts'
import { DatabaseDriveUploads } from '../../src/storage/drives/kit/uploads/drive-upload-table.ts'
import { DatabaseFileRecords } from '../../src/storage/drives/local/objects/file-record-table.ts'
import { DatabaseDavRecords } from '../../src/storage/drives/webdav/objects/dav-record-table.ts'
import { fileOf, folderOf } from './drive-index-fixture.ts'

/** The names of the default drive and of another one, in one database. */
const names = ['', 'NAS'] as const

/** That two drives with the same keys, paths and identities do not see each other's rows. */
export function describeTwoDrives(name: string, createLocation: () => Promise<DatabaseLocation>) {
  describe(`${name} tables of two drives`, () => {
    let database: Database
    before(async () => {
      database = await openDatabase(await createLocation(), { migrate: true })
    })
    after(() => database.close())

    test('records of local files', async (t) => {
      const stores = names.map((drive) => new DatabaseFileRecords(database, drive))
      t.after(async () => {
        for (const store of stores) await store.close()
      })
      const file = { identity: '1:2:3:4', path: 'b/k', size: 4, modifiedAtMs: 3 }
      for (const [index, store] of stores.entries()) {
        assert.equal(await store.find(file.identity), undefined)
        assert.equal(await store.isOwnFolder('7:8'), false)
        await store.save({ ...file, json: `${index}` }, ['7:8'])
      }
      for (const [index, store] of stores.entries()) {
        assert.equal(await store.find(file.identity), `${index}`)
        assert.deepEqual(
          [...(await store.findMany([file.identity]))],
          [[file.identity, `${index}`]],
        )
        assert.deepEqual([...(await store.findByPaths([file]))], [['b/k', `${index}`]])
        assert.equal(await store.isOwnFolder('7:8'), true)
      }
    })

    test('records of WebDAV files', async (t) => {
      const stores = names.map((drive) => new DatabaseDavRecords(database, drive))
      t.after(async () => {
        for (const store of stores) await store.close()
      })
      const file = { path: 'b/k', version: 'v' }
      for (const [index, store] of stores.entries()) {
        assert.equal(await store.find(file), undefined)
        assert.deepEqual([...(await store.ownFolders(['b/f']))], [])
        await store.save(file, `${index}`)
        await store.addOwnFolders(['b/f'])
      }
      for (const [index, store] of stores.entries()) {
        assert.equal(await store.find(file), `${index}`)
        assert.deepEqual([...(await store.findMany([file]))], [['b/k', `${index}`]])
        assert.deepEqual([...(await store.ownFolders(['b/f']))], ['b/f'])
      }
      await stores[1]?.forgetFolders(['b/f'])
      assert.deepEqual([...((await stores[0]?.ownFolders(['b/f'])) ?? [])], ['b/f'])
    })

    test('leases', async () => {
      const stores = names.map((drive) => new DatabaseLeases(database, drive))
      for (const [index, store] of stores.entries()) {
        const claim = { owner: `o${index}`, untilMs: 5, note: `n${index}` }
        assert.equal(await store.take(['b/k'], claim, []), true)
      }
      for (const [index, store] of stores.entries()) {
        const expected = { owner: `o${index}`, untilMs: 5, note: `n${index}` }
        const { leases } = await store.look(['b/k'], [])
        assert.deepEqual(leases.map(plain), [{ key: 'b/k', ...expected }])
        assert.deepEqual((await store.below(['b'])).map(plain), [expected])
        assert.deepEqual((await store.endedWithNote(5, 10)).map(plain), [expected])
      }
      await stores[1]?.release(['b/k'], { owner: 'o1', bumped: ['b'], keepsNote: false })
      assert.equal((await stores[0]?.look(['b/k'], ['b']))?.leases.length, 1)
      assert.deepEqual((await stores[0]?.look([], ['b']))?.revisions, [0])
    })

    test('indexes of Google Drive', async () => {
      const stores = names.map((drive) => new DatabaseDriveIndex(database, Date.now, drive))
      for (const [index, store] of stores.entries()) {
        await store.open(`root${index}`)
        await store.save([folderOf(`f${index}`, `root${index}`)], [])
        await store.save([fileOf(`x${index}`, `f${index}`)], [])
      }
      for (const [index, store] of stores.entries()) {
        assert.deepEqual(await store.unlisted(10), [`f${index}`])
        await store.open(`root${index}`)
      }
      await stores[0]?.listed(['f0'], 0)
      assert.equal(await stores[0]?.hasUnlisted(), false)
      assert.equal(await stores[1]?.hasUnlisted(), true)
      const state = await stores[0]?.state('root0')
      assert.ok(state)
      assert.equal(await stores[0]?.beginCrawl('root0', state, 'p'), true)
      await stores[1]?.listed(['f1'], 0)
      assert.deepEqual(await stores[1]?.unlisted(10), [])
      // Another root takes only its own drive's place.
      await stores[0]?.open('other')
      assert.deepEqual(await stores[0]?.getMany(['x0']), [])
      assert.equal((await stores[1]?.getMany(['x1']))?.length, 1)
      assert.notEqual(await stores[1]?.state('root1'), undefined)
      await stores[1]?.tidy(Date.now() + 1)
      assert.equal((await stores[1]?.getMany(['x1']))?.length, 1)
    })

    test('uploads to Google Drive', async () => {
      const stores = names.map((drive) => new DatabaseDriveUploads(database, Date.now, drive))
      for (const [index, store] of stores.entries()) {
        await store.save(`u${index}`, { json: '{}', fileIds: [] })
      }
      for (const [index, store] of stores.entries()) {
        assert.deepEqual(await store.idle(Date.now() + 1, 10), [`u${index}`])
      }
    })
  })
}

function plain<Row extends { readonly untilMs: number }>(row: Row): Row {
  return { ...row, untilMs: Number(row.untilMs) }
}
