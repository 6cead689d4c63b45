import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallTimes } from '../../../../../src/app/telemetry/metrics/call-times.ts'
import { SnapshotBuilder } from '../../../../../src/app/telemetry/metrics/snapshot.ts'
import {
  type Database,
  DatabaseError,
  type Statement,
  UnmetChange,
} from '../../../../../src/platform/state/database.ts'

const results = [{ changes: 1, rows: [] }]

/** Writes fail as the text of their statement says. */
const database: Database = {
  kind: 'postgres',
  waiting: 4,
  read: async <Row>() => [{ one: 1 }] as Row[],
  async write([first]: readonly Statement[]) {
    if (first?.sql === 'unmet') throw new UnmetChange(0)
    if (first?.sql === 'full') throw new DatabaseError('full')
    return results
  },
  clockMs: async () => 5,
  check: async () => undefined,
  close: async () => undefined,
}

test('Calls of the database are timed by engine, and unmet changes are no errors', async () => {
  const times = new CallTimes(database)
  const { timed } = times
  assert.deepEqual(await timed.read('SELECT 1'), [{ one: 1 }])
  await timed.check()
  assert.equal(await timed.write([{ sql: 'x' }]), results)
  await assert.rejects(timed.write([{ sql: 'unmet' }]), UnmetChange)
  await assert.rejects(timed.write([{ sql: 'full' }]), DatabaseError)
  const snapshot = new SnapshotBuilder()
  times.addTo(snapshot)
  const values = new Map(
    snapshot
      .build()
      .flatMap(({ name, values: all }) =>
        all.map(({ metricName, labels, value }) => [
          `${metricName ?? name} ${Object.values(labels).join(' ')}`,
          value,
        ]),
      ),
  )
  for (const [name, value] of [
    ['bucketry_database_call_duration_seconds_count postgres read', 2],
    ['bucketry_database_call_duration_seconds_count postgres write', 3],
    ['bucketry_database_errors_total postgres read', 0],
    ['bucketry_database_errors_total postgres write', 1],
    ['bucketry_queue_length database', 4],
  ] as const) {
    assert.equal(values.get(name), value, name)
  }
})
