import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  Histogram,
  metricsText,
  type Snapshot,
  SnapshotBuilder,
} from '../../../../../src/app/telemetry/metrics/snapshot.ts'
import {
  type WorkerReport,
  WorkerSnapshots,
} from '../../../../../src/app/telemetry/metrics/worker-snapshots.ts'

const operation = 'GetObject'

/** A worker that served `requests`, each of half a second, and has `heap` bytes. */
function snapshotOf(requests: number, heap = 0): Snapshot {
  const snapshot = new SnapshotBuilder()
  const durations = new Histogram([0.1, 1])
  for (let index = 0; index < requests; index++) durations.observe(0.5)
  snapshot.add('bucketry_requests_total', requests, { operation, status: '2xx' })
  snapshot.addHistogram('bucketry_request_duration_seconds', durations, { operation })
  snapshot.add('bucketry_process_heap_bytes', heap)
  snapshot.add('bucketry_process_open_files', heap)
  return snapshot.build()
}

async function valuesOf({ snapshots }: WorkerReport): Promise<Record<string, number>> {
  const lines = (await metricsText(snapshots)).split('\n')
  const samples = lines.filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(samples.map((line) => line.split(' ')).map(([k, v]) => [k, Number(v)]))
}

const requests = 'bucketry_requests_total{operation="GetObject",status="2xx"}'
const count = 'bucketry_request_duration_seconds_count{operation="GetObject"}'
const within1s = 'bucketry_request_duration_seconds_bucket{le="1",operation="GetObject"}'
const within100ms = 'bucketry_request_duration_seconds_bucket{le="0.1",operation="GetObject"}'

test('Values of workers are added, except those of which the largest counts', async () => {
  const workers = new WorkerSnapshots()
  const report = await workers.gather([1, 2], (id) => workers.receive(id, snapshotOf(id, 10 * id)))
  const values = await valuesOf(report)
  assert.deepEqual(
    [values[requests], values[count], values[within1s], values[within100ms]],
    [3, 3, 3, 0],
  )
  assert.equal(values.bucketry_process_heap_bytes, 30)
  assert.equal(values.bucketry_process_open_files, 20)
  assert.deepEqual([report.workers, report.silent, report.deaths], [2, 0, 0])
})

test('Counters of dead workers are kept, however many die, and their memory is not', async () => {
  const workers = new WorkerSnapshots()
  let last = 0
  for (let id = 1; id <= 20; id++) {
    const report = await workers.gather([id], () => workers.receive(id, snapshotOf(5, 100)))
    const values = await valuesOf(report)
    assert.ok((values[requests] ?? 0) > last, 'a sum never decreases')
    last = values[requests] ?? 0
    assert.equal(values.bucketry_process_heap_bytes, 100)
    assert.ok(report.snapshots.length <= 2)
    workers.died(id)
  }
  const report = await workers.gather([], () => assert.fail())
  const values = await valuesOf(report)
  assert.deepEqual([values[requests], values[count], values[within1s]], [100, 100, 100])
  assert.equal(report.deaths, 20)
})

test('A silent worker does not hang a scrape, and keeps its latest values', async () => {
  const workers = new WorkerSnapshots(50)
  await workers.gather([1, 2], (id) => workers.receive(id, snapshotOf(7)))
  const report = await workers.gather([1, 2], (id) => {
    if (id === 1) workers.receive(id, snapshotOf(8))
  })
  assert.equal((await valuesOf(report))[requests], 15)
  assert.equal(report.silent, 1)
})

test('A worker that dies during a scrape does not delay it', { timeout: 5_000 }, async () => {
  const workers = new WorkerSnapshots(60_000)
  await workers.gather([1, 2], (id) => workers.receive(id, snapshotOf(7)))
  const scrape = workers.gather([1, 2], (id) => {
    if (id === 1) workers.receive(id, snapshotOf(8))
  })
  workers.died(2)
  const report = await scrape
  assert.equal((await valuesOf(report))[requests], 15)
  assert.deepEqual([report.workers, report.silent, report.deaths], [1, 0, 1])
})

test('A worker that ends because the gateway stops is no death', async () => {
  const workers = new WorkerSnapshots()
  await workers.gather([1], (id) => workers.receive(id, snapshotOf(3)))
  workers.left(1)
  const report = await workers.gather([], () => undefined)
  assert.deepEqual([report.deaths, (await valuesOf(report))[requests]], [0, 3])
})

test('A late answer counts in the next scrape', async () => {
  const workers = new WorkerSnapshots(20)
  await workers.gather([1], () => undefined)
  workers.receive(1, snapshotOf(3))
  const report = await workers.gather([1], () => undefined)
  assert.equal((await valuesOf(report))[requests], 3)
})
