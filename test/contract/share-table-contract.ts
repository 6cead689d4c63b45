import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type ShareRow, ShareTable } from '../../src/dashboard/shares/share-table.ts'
import type { Database } from '../../src/platform/state/database.ts'
import { type DatabaseLocation, openDatabase } from '../../src/platform/state/open-database.ts'

/** The contract of shares, for every database. */
export function describeShareTable(name: string, createLocation: () => Promise<DatabaseLocation>) {
  describe(`${name} share table`, () => {
    let database: Database
    let table: ShareTable
    before(async () => {
      database = await openDatabase(await createLocation(), { migrate: true })
      table = new ShareTable(database)
    })
    after(() => database.close())

    const row = (shareId: string, more: Partial<ShareRow> = {}): ShareRow => ({
      ...{ shareId, tokenHash: `hash of ${shareId}`, sealedToken: 's', kind: 'file' },
      ...{ bucket: 'photos', maker: '', json: '{"a":"é"}', createdAtMs: 1, expiresAtMs: 0 },
      ...{ revokedAtMs: 0, lastUsedAtMs: 0, maxUses: 0, uses: 0, maxBytes: 0, bytes: 0 },
      views: 0,
      ...more,
    })
    const usesOf = async (shareId: string) => {
      const found = await table.find(`hash of ${shareId}`)
      return [found?.uses, found?.bytes, found?.lastUsedAtMs]
    }

    test('shares are found by their tokens, the newest first, up to a number', async () => {
      const large = row('b', { createdAtMs: 9_007_199_254_740_991, maxBytes: 2 ** 50 })
      assert.equal(await table.add(row('a'), 2), true)
      assert.equal(await table.add(large, 2), true)
      assert.equal(await table.add(row('c'), 2), false)
      assert.deepEqual(await table.all(), [large, row('a')])
      assert.deepEqual(await table.find('hash of a'), row('a'))
      assert.equal(await table.find('hash of c'), undefined)
    })

    test('uses at the same time never pass a limit', async () => {
      await table.add(row('limited', { maxUses: 3, maxBytes: 100 }), 100)
      const count = (bytes: number) => table.count('limited', bytes, 5)
      assert.equal(await count(101), false)
      const counted = await Promise.all(Array.from({ length: 10 }, () => count(40)))
      assert.equal(counted.filter(Boolean).length, 2)
      assert.deepEqual(await usesOf('limited'), [2, 80, 5])
      assert.equal(await count(21), false)
      assert.equal(await count(20), true)
      assert.equal(await count(0), false)
      assert.deepEqual(await usesOf('limited'), [3, 100, 5])
    })

    test('of two changes that are based on the same state, one is refused', async () => {
      const before = row('edited', { maxUses: 3 })
      await table.add(before, 100)
      const both = await Promise.all([
        table.edit({ ...before, expiresAtMs: 9 }, before),
        table.edit({ ...before, maxUses: 5 }, before),
      ])
      assert.deepEqual(both.toSorted(), [false, true])
      await table.count('edited', 0, 5)
      const { expiresAtMs, maxUses, uses } = (await table.get('edited')) ?? assert.fail()
      assert.deepEqual([[expiresAtMs, maxUses].toString(), uses], [both[0] ? '9,3' : '0,5', 1])
    })

    test('sizes never make a number that cannot be read', async () => {
      await table.add(row('large', { bytes: 5 }), 100)
      assert.equal(await table.count('large', Number.MAX_SAFE_INTEGER, 5), false)
      assert.equal(await table.count('large', Number.MAX_SAFE_INTEGER - 5, 5), true)
      assert.equal(await table.count('large', 1, 5), false)
      assert.deepEqual(await usesOf('large'), [1, Number.MAX_SAFE_INTEGER, 5])
    })

    test('a share that is used up is removed later, too', async () => {
      await table.add(row('downloads', { maxUses: 2, uses: 2, lastUsedAtMs: 7 }), 100)
      await table.add(row('uploads', { maxBytes: 9, bytes: 9, lastUsedAtMs: 7 }), 100)
      await table.add(row('left', { maxUses: 2, uses: 1, lastUsedAtMs: 7 }), 100)
      const kept = async () =>
        (await table.all())
          .map(({ shareId }) => shareId)
          .filter((id) => /^(?:down|up|left)/.test(id))
      await table.sweep(7)
      assert.equal((await kept()).length, 3)
      await table.sweep(8)
      assert.deepEqual(await kept(), ['left'])
    })

    test('a share that has ended is not used, and removed later', async () => {
      await table.add(row('old', { expiresAtMs: 1_000 }), 100)
      await table.add(row('revoked'), 100)
      assert.equal(await table.count('old', 0, 999), true)
      assert.equal(await table.count('old', 0, 1_000), false)
      assert.equal(await table.revoke('revoked', 2_000), true)
      assert.equal(await table.revoke('revoked', 3_000), false)
      assert.equal(await table.count('revoked', 0, 999), false)
      await table.sweep(1_000)
      assert.notEqual(await table.find('hash of old'), undefined)
      await table.sweep(1_001)
      assert.equal(await table.find('hash of old'), undefined)
      assert.equal((await table.find('hash of revoked'))?.revokedAtMs, 2_000)
      await table.sweep(2_001)
      assert.equal(await table.find('hash of revoked'), undefined)
      assert.notEqual(await table.find('hash of a'), undefined)
    })
  })
}
