import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestMetrics } from '../../../../../src/app/telemetry/metrics/request-metrics.ts'
import { metricsText, SnapshotBuilder } from '../../../../../src/app/telemetry/metrics/snapshot.ts'
import type { Outcome } from '../../../../../src/platform/http/exchange.ts'
import { recordOf, requestOf } from '../../start/request-of.ts'

const outcome: Outcome = {
  status: 200,
  bytesReceived: 100,
  bytesSent: 1_000,
  durationMs: 3,
  isAborted: false,
  logFields: undefined,
}

async function linesOf(metrics: RequestMetrics): Promise<string[]> {
  const snapshot = new SnapshotBuilder()
  metrics.addTo(snapshot)
  return (await metricsText([snapshot.build()])).split('\n').filter((line) => !line.startsWith('#'))
}

test('Requests are counted with their bytes, time and errors by operation', async () => {
  const metrics = new RequestMetrics()
  const get = { ...outcome, logFields: { operation: 'GetObject', bucket: 'photos', key: 'k' } }
  metrics.onRequest(recordOf(requestOf('GET', '/photos/k'), get))
  metrics.onRequest(
    recordOf(requestOf('GET', '/photos/k'), { ...get, durationMs: 3_000, isAborted: true }),
  )
  const logFields = { ...get.logFields, code: 'NoSuchKey' }
  metrics.onRequest(recordOf(requestOf('GET', '/photos/x'), { ...get, status: 404, logFields }))
  metrics.onRequest(recordOf(requestOf('GET', '/photos/k'), { ...get, failure: new Error('EIO') }))
  const lines = await linesOf(metrics)
  for (const expected of [
    'bucketry_requests_total{operation="GetObject",status="2xx"} 3',
    'bucketry_requests_total{operation="GetObject",status="4xx"} 1',
    'bucketry_request_errors_total{operation="GetObject",code="NoSuchKey"} 1',
    'bucketry_request_errors_total{operation="GetObject",code="BrokenReply"} 1',
    'bucketry_request_received_bytes_total{operation="GetObject"} 400',
    'bucketry_request_sent_bytes_total{operation="GetObject"} 4000',
    'bucketry_requests_aborted_total{operation="GetObject"} 1',
    'bucketry_request_duration_seconds_bucket{le="0.0025",operation="GetObject"} 0',
    'bucketry_request_duration_seconds_bucket{le="0.005",operation="GetObject"} 3',
    'bucketry_request_duration_seconds_bucket{le="5",operation="GetObject"} 4',
    'bucketry_request_duration_seconds_bucket{le="+Inf",operation="GetObject"} 4',
    'bucketry_request_duration_seconds_count{operation="GetObject"} 4',
  ]) {
    assert.ok(lines.includes(expected), `${expected}\n${lines.join('\n')}`)
  }
})

test('Operations and codes that are not in our lists get no series of their own', async () => {
  const metrics = new RequestMetrics()
  for (let index = 0; index < 1_000; index++) {
    const logFields = {
      operation: `Operation${index}`,
      code: `Code${index}`,
      bucket: `b${index}`,
      key: `k${index}`,
    }
    for (const path of [
      '/b/k',
      '/-/api/x',
      '/auth/login',
      '/-/files',
      '/-/livez',
      '/constructor',
    ]) {
      metrics.onRequest(
        recordOf(requestOf('GET', path + index), { ...outcome, status: 400, logFields }),
      )
    }
  }
  const lines = await linesOf(metrics)
  assert.ok(lines.length < 150, `${lines.length} series`)
  assert.doesNotMatch(lines.join('\n'), /Operation\d|Code\d|[bk]\d/)
  assert.ok(lines.includes('bucketry_request_errors_total{operation="Unknown",code="4xx"} 2000'))
})

test('Invalid requests and connections over the limit are counted', async () => {
  const metrics = new RequestMetrics()
  metrics.onRefuse({ fault: 'malformed' })
  metrics.onFull()
  metrics.onFull()
  const lines = await linesOf(metrics)
  assert.ok(lines.includes('bucketry_invalid_requests_total{fault="malformed"} 1'))
  assert.ok(lines.includes('bucketry_connections_over_limit_total 2'))
})
