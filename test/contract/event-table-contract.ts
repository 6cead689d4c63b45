import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Database } from '../../src/platform/state/database.ts'
import { type DatabaseLocation, openDatabase } from '../../src/platform/state/open-database.ts'
import { type EventRow, EventTable } from '../../src/storage/events/event-table.ts'

const target = 'webhook'
const row = (id: string, more: Partial<EventRow> = {}): EventRow => ({
  ...{ id, target, sequencer: id, message: `{"of":"${id}"}`, madeAtMs: 1_000 },
  ...{ attempts: 0, dueAtMs: 1_000, ...more },
})

/** The contract of the table of events, for every database. */
export function describeEventTable(name: string, createLocation: () => Promise<DatabaseLocation>) {
  describe(`${name} event table`, () => {
    let database: Database
    let table: EventTable
    before(async () => {
      database = await openDatabase(await createLocation(), { migrate: true })
      table = new EventTable(database)
    })
    after(() => database.close())

    const due = async (isConfirmed: boolean, nowMs = 5_000) => {
      const rows = await table.due(target, { isConfirmed, nowMs, limit: 10 })
      return rows.map((found) => ({ ...found, madeAtMs: Number(found.madeAtMs) }))
    }
    const ids = async (isConfirmed: boolean, nowMs?: number) =>
      (await due(isConfirmed, nowMs)).map(({ id }) => id)

    test('an intent is confirmed or cancelled, and a lost one is confirmed too', async () => {
      await table.intend([row('1'), row('2')])
      assert.deepEqual(await ids(false), ['1', '2'])
      await table.confirm([row('1', { message: 'more' }), row('3')])
      await table.cancel([
        { id: '2', target },
        { id: '3', target },
      ])
      assert.deepEqual(await ids(false), [])
      const confirmed = await due(true)
      assert.deepEqual(
        confirmed.map(({ id, message }) => [id, message]),
        [
          ['1', 'more'],
          ['3', row('3').message],
        ],
      )
      await table.settle(target, ['1'], [{ id: '3', target, attempts: 1, dueAtMs: 9_000 }])
      assert.deepEqual(await ids(true), [])
      assert.deepEqual(await ids(true, 9_000), ['3'])
      assert.deepEqual(await table.counts(100), { waiting: 1, dead: 0 })
    })

    test('old events go to the dead ones, of which few are kept', async () => {
      await table.confirm([row('4', { attempts: 1 }), row('5', { madeAtMs: 8_000, attempts: 1 })])
      const limits = { beforeMs: 5_000, nowMs: 10_000, most: 1 }
      assert.deepEqual(await table.bury(limits), { buried: 2, dropped: 0 })
      assert.deepEqual(await table.counts(100), { waiting: 1, dead: 2 })
      const later = { beforeMs: 9_000, nowMs: 11_000, most: 0 }
      assert.deepEqual(await table.bury(later), { buried: 1, dropped: 2 })
      assert.deepEqual(await table.counts(100), { waiting: 0, dead: 1 })
    })

    test('events and intents of targets that are no longer configured do not stay', async () => {
      await table.confirm([row('6', { target: 'gone', madeAtMs: 4_000 })])
      await table.intend([row('7', { target: 'gone', madeAtMs: 4_000 })])
      // Made 6,000 ms ago: those that were never tried stay twice the 3,000 ms.
      assert.equal((await table.bury({ beforeMs: 7_000, nowMs: 10_000, most: 9 })).buried, 0)
      assert.equal((await table.bury({ beforeMs: 7_001, nowMs: 10_001, most: 9 })).buried, 2)
      assert.equal(await table.countWaiting(100), 0)
    })

    test('events that were made while the clock was ahead are due', async () => {
      const aheadMs = 1_000_000
      await table.confirm([row('8', { madeAtMs: aheadMs, dueAtMs: aheadMs })])
      assert.deepEqual(await ids(true), [])
      await table.bury({ beforeMs: 0, nowMs: 5_000, most: 9 })
      assert.deepEqual(await ids(true), ['8'])
    })
  })
}
