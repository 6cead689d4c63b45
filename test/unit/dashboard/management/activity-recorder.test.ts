import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ActivityRecorder,
  activityOf,
  keptActivity,
  type NotedRequest,
} from '../../../../src/dashboard/management/activity-recorder.ts'
import { ActivityTable } from '../../../../src/dashboard/management/activity-table.ts'
import { openTestDatabase, until } from './management-fixture.ts'

const failure = (index: number, changes: Partial<NotedRequest> = {}): NotedRequest => ({
  ...{ atMs: 1_700_000_000_000 + index, requestId: `R${index}`, method: 'GET', bucket: 'files' },
  ...{ key: 'k\0', operation: 'GetObject', status: 403, code: 'AccessDenied' },
  ...{
    reason: 'The clock.',
    remoteAddress: '192.0.2.1',
    by: null,
    accessKey: null,
    action: null,
    ...changes,
  },
})

const latest = (table: ActivityTable) =>
  table.page(Date.now(), { kinds: ['failure', 'change'], after: undefined, fromMs: 0, limit: 10 })

test('a failure is written to the database after a second, without a request waiting', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const table = new ActivityTable(await openTestDatabase(t), keptActivity)
  const recorder = new ActivityRecorder(table)
  recorder.note('failure', failure(1))
  assert.deepEqual(await latest(table), [])
  t.mock.timers.tick(1_000)
  t.mock.timers.reset()
  await until(async () => (await latest(table)).length === 1)
  const [row] = await latest(table)
  assert.ok(row)
  const { atMs: _, ...rest } = failure(1)
  const read = activityOf(row)
  const added = { at: '2023-11-14T22:13:20.001Z', isFailure: true, more: 0 }
  assert.deepEqual(read, { ...rest, ...added })
})

test('A flood leaves the latest, in one write', async () => {
  const writes: number[] = []
  const ids: string[] = []
  const table = {
    add: async (rows: readonly { readonly requestId: string }[]) => {
      writes.push(rows.length)
      ids.push(...rows.map(({ requestId }) => requestId))
    },
  } as unknown as ActivityTable
  const recorder = new ActivityRecorder(table)
  for (let index = 0; index < 100_000; index++) recorder.note('failure', failure(index))
  await recorder.close()
  assert.deepEqual(writes, [200])
  const expected = Array.from({ length: 200 }, (_, index) => `R${99_800 + index}`)
  assert.deepEqual(ids.toSorted(), expected.toSorted())
})

test('A flood of changes leaves the latest and their number, and every failure', async (t) => {
  const table = new ActivityTable(await openTestDatabase(t), keptActivity)
  const recorder = new ActivityRecorder(table)
  for (let index = 0; index < 1_000; index++) recorder.note('change', failure(index))
  recorder.note('failure', failure(2_000))
  await recorder.flush()
  const page = { after: undefined, fromMs: 0, limit: 1_000 }
  const changes = await table.page(Date.now(), { ...page, kinds: ['change'] })
  assert.equal(changes.length, 100)
  assert.equal(changes[0]?.requestId, 'R999')
  const more = changes.map((row) => activityOf(row).more)
  assert.equal(
    more.reduce((sum, one) => sum + one, 0),
    900,
  )
  assert.equal((await table.page(Date.now(), { ...page, kinds: ['failure'] })).length, 1)
})

test('long values from clients are cut and do not break the row', async (t) => {
  const table = new ActivityTable(await openTestDatabase(t), keptActivity)
  const recorder = new ActivityRecorder(table)
  const long = `${'é'.repeat(60_000)}`
  recorder.note(
    'failure',
    failure(1, { key: long, bucket: `\ud800${long}`, reason: long, method: long }),
  )
  await recorder.flush()
  const [row] = await latest(table)
  assert.ok(row !== undefined && row.json.length < 10_000)
  const { key } = activityOf(row)
  assert.equal(key, `${'é'.repeat(1_024)}…`)
})

test('a database failure loses only the recorded failures', async (t) => {
  const database = await openTestDatabase(t)
  const recorder = new ActivityRecorder(new ActivityTable(database, keptActivity))
  recorder.note('failure', failure(1))
  await database.close()
  await recorder.flush()
  recorder.note('failure', failure(2))
  await recorder.close()
})

test('failures recorded during a write go with the next one', async () => {
  let release: () => void = () => undefined
  const writes: (readonly string[])[] = []
  const table = {
    add: (rows: readonly { readonly requestId: string }[]) => {
      writes.push(rows.map(({ requestId }) => requestId))
      return new Promise<void>((resolve) => {
        release = resolve
      })
    },
  } as unknown as ActivityTable
  const recorder = new ActivityRecorder(table)
  recorder.note('failure', failure(1))
  const first = recorder.flush()
  await until(() => writes.length === 1)
  recorder.note('failure', failure(2))
  const second = recorder.flush()
  release()
  await first
  await until(() => writes.length === 2)
  release()
  await second
  assert.deepEqual(writes, [['R1'], ['R2']])
})

test('flush waits until earlier failures are written, by any caller', async () => {
  const { promise: written, resolve: release } = Promise.withResolvers<void>()
  const recorder = new ActivityRecorder({ add: () => written } as unknown as ActivityTable)
  recorder.note('failure', failure(1))
  let isWritten = false
  const flushes = [recorder.flush(), recorder.flush(), recorder.close()].map(async (flush) => {
    await flush
    return isWritten
  })
  await new Promise((resolve) => setImmediate(resolve))
  isWritten = true
  release()
  assert.deepEqual(await Promise.all(flushes), [true, true, true])
})
