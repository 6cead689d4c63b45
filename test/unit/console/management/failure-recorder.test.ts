import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  FailureRecorder,
  failureOf,
  keptFailures,
  type NotedFailure,
} from '../../../../src/console/management/failure-recorder.ts'
import { failureStatus } from '../../../../src/console/management/replies.ts'
import { FailureTable } from '../../../../src/state/stores/failures.ts'
import { openTestDatabase, until } from './management-fixture.ts'

const failure = (index: number, changes: Partial<NotedFailure> = {}): NotedFailure => ({
  ...{ atMs: 1_700_000_000_000 + index, requestId: `R${index}`, method: 'GET', bucket: 'files' },
  ...{ key: 'k\0', operation: 'GetObject', status: 403, code: 'AccessDenied' },
  ...{ reason: 'The clock.', remoteAddress: '192.0.2.1', ...changes },
})

test('a failure is written to the database after a second, without a request waiting', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const table = new FailureTable(await openTestDatabase(t), keptFailures)
  const recorder = new FailureRecorder(table)
  recorder.note(failure(1))
  assert.deepEqual(await table.latest(Date.now()), [])
  t.mock.timers.tick(1_000)
  t.mock.timers.reset()
  await until(async () => (await table.latest(Date.now())).length === 1)
  const [row] = await table.latest(Date.now())
  assert.ok(row)
  const { atMs: _, ...rest } = failure(1)
  const read = failureOf(row)
  assert.deepEqual(read, { ...rest, at: '2023-11-14T22:13:20.001Z' })
  assert.deepEqual(failureStatus.parse(read), read)
})

test('A flood leaves the latest, in one write', async () => {
  const writes: number[] = []
  const ids: string[] = []
  const table = {
    add: async (rows: readonly { readonly requestId: string }[]) => {
      writes.push(rows.length)
      ids.push(...rows.map(({ requestId }) => requestId))
    },
  } as unknown as FailureTable
  const recorder = new FailureRecorder(table)
  for (let index = 0; index < 100_000; index++) recorder.note(failure(index))
  await recorder.close()
  assert.deepEqual(writes, [keptFailures])
  const expected = Array.from({ length: keptFailures }, (_, index) => `R${99_800 + index}`)
  assert.deepEqual(ids.toSorted(), expected.toSorted())
})

test('long values from clients are cut and do not break the row', async (t) => {
  const table = new FailureTable(await openTestDatabase(t), keptFailures)
  const recorder = new FailureRecorder(table)
  const long = `${'é'.repeat(60_000)}`
  recorder.note(failure(1, { key: long, bucket: `\ud800${long}`, reason: long, method: long }))
  await recorder.flush()
  const [row] = await table.latest(Date.now())
  assert.ok(row !== undefined && row.json.length < 10_000)
  const { key } = failureOf(row)
  assert.equal(key, `${'é'.repeat(1_024)}…`)
})

test('a database failure loses only the recorded failures', async (t) => {
  const database = await openTestDatabase(t)
  const recorder = new FailureRecorder(new FailureTable(database, keptFailures))
  recorder.note(failure(1))
  await database.close()
  await recorder.flush()
  recorder.note(failure(2))
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
  } as unknown as FailureTable
  const recorder = new FailureRecorder(table)
  recorder.note(failure(1))
  const first = recorder.flush()
  await until(() => writes.length === 1)
  recorder.note(failure(2))
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
  const recorder = new FailureRecorder({ add: () => written } as unknown as FailureTable)
  recorder.note(failure(1))
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
