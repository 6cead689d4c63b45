import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import {
  type RoutingRow,
  type RoutingRows,
  type RoutingSnapshot,
  RoutingTables,
} from '../../src/models/routing/routing-table.ts'
import type { Database } from '../../src/platform/state/database.ts'
import { type DatabaseLocation, openDatabase } from '../../src/platform/state/open-database.ts'

const noRows: RoutingRows = { connections: [], combos: [], customModels: [], modelAliases: [] }

const row = (id: string, json = '{}'): RoutingRow => ({ id, json })

/** The snapshot without positions, which are internal to the tables. */
function rowsOf({ rows }: RoutingSnapshot): RoutingRows {
  const bare = (set: keyof RoutingRows) => rows[set].map(({ id, json }) => ({ id, json }))
  return {
    connections: bare('connections'),
    combos: bare('combos'),
    customModels: bare('customModels'),
    modelAliases: bare('modelAliases'),
  }
}

/** The contract of the model list's inputs, for every database. */
export function describeRoutingTables(
  name: string,
  createLocation: () => Promise<DatabaseLocation>,
) {
  describe(`${name} routing tables`, () => {
    let location: DatabaseLocation
    let database: Database
    let tables: RoutingTables
    before(async () => {
      location = await createLocation()
      database = await openDatabase(location, { migrate: true })
      tables = new RoutingTables(database)
    })
    beforeEach(() => store(noRows))
    after(() => database.close())

    async function store(rows: RoutingRows): Promise<void> {
      assert.notEqual(await tables.replace(await tables.snapshot(), rows), undefined)
    }

    test('RoutingTables returns every set in its order, whatever the texts', async () => {
      const rows: RoutingRows = {
        connections: [row('b', '{"é":"🎉\\u0000"}'), row('a'), row(`'"?%`)],
        combos: [row('only')],
        customModels: Array.from({ length: 1_000 }, (_, index) => row(`m/${(index * 7) % 1_000}`)),
        modelAliases: [row('ж'.repeat(1_000)), row('ж'.repeat(999))],
      }
      await store(rows)
      assert.deepEqual(rowsOf(await tables.snapshot()), rows)
      assert.deepEqual(rowsOf(await new RoutingTables(database).snapshot()), rows)
    })

    test('RoutingTables replaces any order and content by any other', async () => {
      const states = ['', 'a', 'ab', 'ba', 'cba', 'acb', 'xaybz', 'zbyax', 'b', 'dcba', 'ABCD']
      for (const state of states) {
        const connections = [...state].map((letter) => row(letter.toLowerCase(), `"${letter}"`))
        await store({ ...noRows, connections })
        assert.deepEqual(rowsOf(await tables.snapshot()).connections, connections, state)
      }
    })

    test('RoutingTables bumps the revision with each change and not without one', async () => {
      const first = await tables.snapshot()
      const next = { ...noRows, combos: [row('a')] }
      assert.equal(await tables.replace(first, next), first.revision + 1)
      const second = await tables.snapshot()
      assert.equal(second.revision, first.revision + 1)
      assert.equal(await tables.replace(second, next), second.revision)
      assert.equal((await tables.snapshot()).revision, second.revision)
    })

    test('RoutingTables changes nothing for a writer that has not seen the last change', async () => {
      const seen = await tables.snapshot()
      assert.ok(await tables.replace(seen, { ...noRows, combos: [row('a')] }))
      assert.equal(await tables.replace(seen, { ...noRows, combos: [row('b')] }), undefined)
      assert.deepEqual(rowsOf(await tables.snapshot()).combos, [row('a')])
    })

    test('RoutingTables lets one of many writers through, from several connections', async () => {
      const others = await Promise.all(
        [1, 2, 3].map(() => openDatabase(location, { migrate: false })),
      )
      try {
        const seen = await tables.snapshot()
        const writers = [database, ...others].map((each) => new RoutingTables(each))
        const outcomes = await Promise.all(
          writers.map((writer, index) =>
            writer.replace(seen, { ...noRows, combos: [row(`writer ${index}`)] }),
          ),
        )
        assert.equal(outcomes.filter((revision) => revision !== undefined).length, 1)
        assert.equal(rowsOf(await tables.snapshot()).combos.length, 1)
      } finally {
        await Promise.all(others.map((other) => other.close()))
      }
    })

    test('RoutingTables sees the changes of other processes immediately', async () => {
      await tables.snapshot()
      const other = await openDatabase(location, { migrate: false })
      try {
        const otherTables = new RoutingTables(other)
        const seen = await otherTables.snapshot()
        await otherTables.replace(seen, { ...noRows, modelAliases: [row('new')] })
        const [loaded] = await tables.load('modelAliases')
        assert.equal(loaded?.id, 'new')
      } finally {
        await other.close()
      }
    })
  })
}
