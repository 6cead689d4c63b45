import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Database } from '../../src/platform/state/database.ts'
import { type DatabaseLocation, openDatabase } from '../../src/platform/state/open-database.ts'
import { UploadTable } from '../../src/storage/s3/multipart/upload-table.ts'

const partOf = (number: number, size: number, place: string) => ({
  ...{ number, etag: `etag ${place}`, size, modifiedAtMs: 50, checksum: '', place },
})

/** What `PlacedPartTable` must do on every database. */
export function describePlacedParts(name: string, createLocation: () => Promise<DatabaseLocation>) {
  describe(`${name} parts in any order`, () => {
    let database: Database
    let table: UploadTable
    let count = 0
    before(async () => {
      database = await openDatabase(await createLocation(), { migrate: true })
      table = new UploadTable(database)
    })
    after(() => database.close())

    const begin = async () => {
      count += 1
      const id = `placed ${count}`
      const target = JSON.stringify(['b', id])
      const row = { id, target, details: '{}', driveState: 's', createdAtMs: 10 }
      await table.insert({ ...row, sortKey: id })
      return id
    }
    const writerOf = (uploadId: string, number: number, writer = 'x') => ({
      ...{ uploadId, number, writer },
    })

    test('a slot whose part failed, or has a file of its own, counts until the upload ends', async () => {
      const bytes = async () => (await table.openBytes()).get('b') ?? 0
      const before = await bytes()
      const id = await begin()
      await table.placed.claim(writerOf(id, 1), 100)
      await table.placed.commit(writerOf(id, 1), partOf(1, 100, '@0'))
      assert.equal((await bytes()) - before, 100)
      await table.placed.claim(writerOf(id, 2), 50)
      assert.equal((await bytes()) - before, 100, 'while it is written, its request counts it')
      await table.placed.endClaim(writerOf(id, 2), 30)
      assert.equal((await bytes()) - before, 130, 'failed')
      await table.placed.commit(writerOf(id, 1), partOf(1, 1, 'part-x'))
      assert.equal((await bytes()) - before, 131, 'replaced')
      assert.ok(await table.abort(id, 60))
      assert.equal((await bytes()) - before, 0)
    })

    test('a slot is claimed once, and its size is that of the first part', async () => {
      const id = await begin()
      const claims = await Promise.all(
        Array.from({ length: 8 }, (_, at) => table.placed.claim(writerOf(id, 3, `w${at}`), 100)),
      )
      assert.deepEqual(
        claims.filter(({ kind }) => kind === 'slot'),
        [{ kind: 'slot', offset: 200 }],
      )
      assert.deepEqual(await table.placed.claim(writerOf(id, 1), 101), { kind: 'none' })
      const smaller = await table.placed.claim(writerOf(id, 10_000), 7)
      assert.deepEqual(smaller, { kind: 'slot', offset: 999_900 })
      assert.equal((await table.find(id))?.slotSize, 100)
      assert.equal((await table.placed.writers(id)).length, 2)
      await table.placed.endClaim(writerOf(id, 10_000, 'another'), 7)
      assert.equal((await table.placed.writers(id)).length, 2)
      await table.placed.endClaim(writerOf(id, 10_000), 7)
      assert.equal((await table.placed.writers(id)).length, 1)
      assert.deepEqual(await table.placed.claim(writerOf(id, 10_000), 7), { kind: 'none' })
    })

    test('the part that is committed last counts, and ends its claim', async () => {
      const id = await begin()
      await table.placed.claim(writerOf(id, 2), 100)
      assert.deepEqual(await table.placed.commit(writerOf(id, 2), partOf(2, 100, '@100')), [])
      assert.deepEqual(await table.placed.writers(id), [])
      const replaced = await table.placed.commit(writerOf(id, 2, 'y'), partOf(2, 30, 'file'))
      assert.deepEqual(replaced, ['@100'])
      await table.placed.commit(writerOf(id, 1), partOf(1, 5, 'other'))
      const { partCount, size, touchedAtMs } = (await table.find(id)) ?? {}
      assert.deepEqual(
        { partCount, size, touchedAtMs },
        { partCount: 2, size: 35, touchedAtMs: 52 },
      )
      assert.deepEqual(
        (await table.placed.parts(id)).map(({ place }) => place),
        ['other', 'file'],
      )
    })

    test('commits of one upload at the same time are all counted', async () => {
      const id = await begin()
      const commits = Array.from({ length: 40 }, (_, at) =>
        table.placed.commit(
          writerOf(id, (at % 20) + 1, `${at}`),
          partOf((at % 20) + 1, 10, `${at}`),
        ),
      )
      const replaced = (await Promise.all(commits)).flat()
      assert.equal(new Set(replaced).size, 20)
      const { partCount, size } = (await table.find(id)) ?? {}
      assert.deepEqual({ partCount, size }, { partCount: 20, size: 200 })
    })

    test('an upload that is not open takes neither claims nor parts', async () => {
      const id = await begin()
      await table.placed.commit(writerOf(id, 1), partOf(1, 5, 'a'))
      const seen = await table.find(id)
      assert.ok(seen)
      const change = { completion: '{}', nowMs: 90, lease: { owner: 'z', untilMs: 100 } }
      await table.placed.commit(writerOf(id, 1), partOf(1, 5, 'b'))
      assert.equal(await table.beginCompletion(seen, change), false, 'a part was replaced since')
      const now = await table.find(id)
      assert.ok(now && (await table.beginCompletion(now, change)))
      assert.deepEqual(await table.placed.claim(writerOf(id, 2), 9), { kind: 'not open' })
      assert.equal(await table.placed.commit(writerOf(id, 2), partOf(2, 5, 'c')), undefined)
      const reopened = { partCount: 1, size: 5, nowMs: 95, last: 10_000 }
      assert.ok(await table.reopen(id, 'z', reopened))
      assert.equal((await table.placed.parts(id)).length, 1)
      assert.equal((await table.placed.claim(writerOf(id, 2), 9)).kind, 'slot')
      assert.ok(await table.abort(id, 99))
      assert.equal(await table.placed.commit(writerOf(id, 2), partOf(2, 5, 'd')), undefined)
      assert.ok(await table.remove(id, 'aborted', ''))
      assert.deepEqual(await table.placed.writers(id), [])
    })
  })
}
