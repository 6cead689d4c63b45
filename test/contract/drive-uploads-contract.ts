import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Database } from '../../src/platform/state/database.ts'
import { type DatabaseLocation, openDatabase } from '../../src/platform/state/open-database.ts'

/** The contract of the Google drive's upload records, for every database. */
import {
  DatabaseDriveUploads,
  type UploadRecords,
} from '../../src/storage/drives/kit/uploads/drive-upload-table.ts'
export function describeDriveUploads(
  name: string,
  createLocation: () => Promise<DatabaseLocation>,
) {
  describe(`${name} uploads of the Google drive`, () => {
    let database: Database
    let records: UploadRecords
    let nowMs = 1_000
    before(async () => {
      database = await openDatabase(await createLocation(), { migrate: true })
      records = new DatabaseDriveUploads(database, () => nowMs)
    })
    after(() => database.close())

    test('save stores a record and its files', async () => {
      assert.equal(await records.find('u1'), undefined)
      await records.save('u1', { json: '{"a":1}', fileIds: ['file-a', 'file-b'] })
      await records.save('u2', { json: '{}', fileIds: [] })
      assert.equal(await records.find('u1'), '{"a":1}')
      assert.equal(await records.isTarget('file-b'), true)
      assert.equal(await records.isTarget('file-c'), false)
      assert.deepEqual(await records.targets(), ['file-a', 'file-b'])
      await records.save('u1', { json: '{"a":2}', fileIds: ['file-c'] })
      assert.equal(await records.isTarget('file-a'), false)
      await records.remove('u1')
      await records.remove('u2')
      assert.equal(await records.find('u1'), undefined)
    })

    test('idle returns the uploads untouched for the longest time first', async () => {
      for (const [id, at] of [
        ['i2', 20],
        ['i1', 10],
        ['i3', 30],
      ] as const) {
        nowMs = at
        await records.save(id, { json: '{}', fileIds: [] })
      }
      assert.deepEqual(await records.idle(20, 10), ['i1', 'i2'])
      assert.deepEqual(await records.idle(30, 1), ['i1'])
      nowMs = 40
      await records.saveCarry('i1', { size: 3, bytes: 'AAAA' })
      assert.deepEqual(await records.idle(30, 10), ['i2', 'i3'])
      for (const id of ['i1', 'i2', 'i3']) await records.remove(id)
    })

    test('a carry is stored for each size until it is deleted', async () => {
      const bytes = Buffer.alloc(262_143, 7).toString('base64')
      await records.saveCarry('c', { size: 262_143, bytes })
      await records.saveCarry('c', { size: 300_000, bytes: 'BBBB' })
      assert.equal(await records.carry('c', 262_143), bytes)
      await records.saveCarry('c', { size: 300_000, bytes: 'CCCC' })
      // A few are left to a later call.
      for (let size = 1; size <= 8; size++) await records.saveCarry('c', { size, bytes: 'AAAA' })
      await records.forgetBefore('c', 300_000)
      assert.equal(await records.carry('c', 262_143), undefined)
      assert.equal(await records.carry('c', 300_000), 'CCCC')
      await records.remove('c')
      assert.equal(await records.carry('c', 300_000), undefined)
    })

    test('digests are returned from any block on, and can be dropped at any block', async () => {
      const digest = (block: number) => String(block).padStart(22, '.')
      const list = (from: number, to: number) =>
        Array.from({ length: to - from }, (_, at) => digest(from + at))
      await records.announce('b', 2, list(2, 12))
      await records.announce('b', 12, list(12, 13))
      await records.announce('b', 13, list(13, 30))
      for (let block = 30; block < 100; block++)
        await records.announce('b', block, list(block, block + 1))
      for (const from of [0, 2, 7, 12, 13, 29, 30, 100]) {
        assert.deepEqual(await records.blocks('b', from), list(Math.max(2, from), 100))
      }
      await records.forgetBefore('b', 5 * 262_144 + 17)
      assert.deepEqual(await records.blocks('b', 5), list(5, 100))
      await records.forgetBefore('b', 92 * 262_144 + 17)
      assert.deepEqual(await records.blocks('b', 0), list(92, 100))
      await records.dropBlocks('b', 95)
      assert.deepEqual(await records.blocks('b', 92), list(92, 95))
      await records.announce('b', 95, list(95, 97))
      assert.deepEqual(await records.blocks('b', 94), list(94, 97))
      await records.dropBlocks('b', 0)
      assert.deepEqual(await records.blocks('b', 0), [])
    })
  })
}
