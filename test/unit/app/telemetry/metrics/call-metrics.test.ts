import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { ProcessMetrics } from '../../../../../src/app/telemetry/metrics/process-metrics.ts'
import { watchedDatabase, watchedDrive } from '../../../../../src/app/telemetry/telemetry.ts'
import {
  type Database,
  DatabaseError,
  type Statement,
  UnmetChange,
} from '../../../../../src/platform/state/database.ts'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { openMemoryDrive } from '../../../../../src/storage/drives/memory/memory-drive.ts'

const attributes = { etag: 'e', headers: {}, metadata: {} }

function openMetrics(t: TestContext): ProcessMetrics {
  const metrics = new ProcessMetrics()
  t.after(() => metrics.close())
  return metrics
}

/** The values of the calls of drives, by their labels. */
function countsOf(metrics: ProcessMetrics): Record<string, number> {
  const counted = metrics.snapshot().find(({ name }) => name === 'bucketry_drive_calls_total')
  return Object.fromEntries(
    (counted?.values ?? []).map(({ labels, value }) => [
      `${labels.drive} ${labels.call} ${labels.outcome}`,
      value,
    ]),
  )
}

test('Calls of a drive are counted by their outcome', async (t) => {
  const metrics = openMetrics(t)
  const drive = watchedDrive(openMemoryDrive(), '', { metrics })
  await drive.prepare(['photos'])
  const draft = await drive.draft('photos', 'k', { size: 1 })
  await draft.write(Buffer.from('x'))
  await draft.publish(attributes)
  const again = await drive.draft('photos', 'k', { size: 1 })
  await assert.rejects(again.publish(attributes, { ifNoneMatch: '*' }), { kind: 'condition' })
  assert.ok(await drive.open('photos', 'k'))
  assert.equal((await drive.list('photos', { prefix: '', after: '' }).next(10)).length, 1)
  const state = await drive.uploads.begin('u', { bucket: 'photos', key: 'm' })
  const part = await drive.uploads.append(state, { offset: 0 })
  await part.write(Buffer.from('y'))
  await drive.uploads.abort(await part.commit())
  assert.equal((await drive.remove('photos', 'k')) !== undefined, true)
  assert.deepEqual(countsOf(metrics), {
    'memory prepare ok': 1,
    'memory draft ok': 2,
    'memory write ok': 2,
    'memory publish ok': 1,
    'memory publish condition': 1,
    'memory open ok': 1,
    'memory list ok': 1,
    'memory beginUpload ok': 1,
    'memory appendPart ok': 1,
    'memory commitPart ok': 1,
    'memory abortUpload ok': 1,
    'memory remove ok': 1,
  })
})

test('A result that needs no promise stays without one, and other errors are `other`', async (t) => {
  const metrics = openMetrics(t)
  const memory = openMemoryDrive()
  const metadata = { size: 0, modifiedAtMs: 0, attributes }
  const results = [
    () => ({ ...metadata, read: () => Readable.from([]), close: async () => undefined }),
    () => Promise.reject(new DriveError('full', 'Full.')),
    () => Promise.reject(new Error('aborted')),
  ]
  memory.open = () => results.shift()?.() ?? assert.fail()
  const drive = watchedDrive(memory, 'archive', { metrics })
  assert.ok(!(drive.open('photos', 'k') instanceof Promise))
  await assert.rejects(async () => drive.open('photos', 'k'), DriveError)
  await assert.rejects(async () => drive.open('photos', 'k'), /aborted/)
  assert.deepEqual(Object.keys(countsOf(metrics)), [
    'archive open ok',
    'archive open full',
    'archive open other',
  ])
})

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
  committed: () => undefined,
  clockMs: async () => 5,
  check: async () => undefined,
  close: async () => undefined,
}

test('Calls of the database are timed by engine, and unmet changes are no errors', async (t) => {
  const metrics = openMetrics(t)
  const timed = watchedDatabase(database, { metrics })
  assert.equal(await timed.clockMs?.(), 5)
  assert.deepEqual(await timed.read('SELECT 1'), [{ one: 1 }])
  await timed.check()
  assert.equal(await timed.write([{ sql: 'x' }]), results)
  await assert.rejects(timed.write([{ sql: 'unmet' }]), UnmetChange)
  await assert.rejects(timed.write([{ sql: 'full' }]), DatabaseError)
  timed.committed?.(2_000)
  const values = new Map(
    metrics
      .snapshot()
      .flatMap(({ name, values: all }) =>
        all.map(({ metricName, labels, value }) => [
          `${metricName ?? name} ${Object.values(labels).join(' ')}`,
          value,
        ]),
      ),
  )
  for (const [name, value] of [
    ['bucketry_database_call_duration_seconds_count postgres read', 2],
    ['bucketry_database_call_duration_seconds_count postgres write', 4],
    ['bucketry_database_call_duration_seconds_bucket 1 postgres write', 3],
    ['bucketry_database_errors_total postgres read', 0],
    ['bucketry_database_errors_total postgres write', 1],
    ['bucketry_queue_length database', 4],
  ] as const) {
    assert.equal(values.get(name), value, name)
  }
})
