import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { metricDefinitions } from '../../src/app/telemetry/metrics/definitions.ts'
import { type GatewayInProcess, startGatewayInProcess } from '../support/gateway-in-process.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'

const token = 'a-token-of-this-test'

async function scrape(gateway: GatewayInProcess): Promise<string> {
  const headers = { authorization: `Bearer ${token}` }
  const reply = await fetch(`${gateway.url}/-/metrics`, { headers })
  assert.equal(reply.status, 200)
  assert.equal(reply.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  return await reply.text()
}

/** A scrape may return the answer of the latest second. */
async function scrapeUntil(
  gateway: GatewayInProcess,
  fits: (text: string) => boolean,
): Promise<string> {
  for (;;) {
    const text = await scrape(gateway)
    if (fits(text)) return text
    await delay(50)
  }
}

function samplesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(' ')
      return [line.slice(0, space), Number(line.slice(space + 1))]
    }),
  )
}

async function useKey(gateway: GatewayInProcess, key: string): Promise<void> {
  const target = targetOf(gateway.bucket, key)
  for (const method of ['PUT', 'GET', 'HEAD', 'DELETE', 'GET']) {
    const body = method === 'PUT' ? { body: 'bytes' } : {}
    await (await signedFetch(gateway, { method, target, ...body })).arrayBuffer()
  }
}

test('Metrics are off by default', async (t) => {
  const gateway = await startGatewayInProcess(t)
  const reply = await fetch(`${gateway.url}/-/metrics`)
  assert.equal(reply.status, 404)
  assert.match(await reply.text(), /set METRICS_TOKEN/i)
})

test('A scrape has every metric, and the requests so far', async (t) => {
  const gateway = await startGatewayInProcess(t, { METRICS_TOKEN: token })
  await useKey(gateway, 'k')
  const text = await scrape(gateway)
  for (const [name, { type }] of Object.entries(metricDefinitions)) {
    assert.ok(text.includes(`# TYPE ${name} ${type}\n`), name)
  }
  const samples = samplesOf(text)
  const expected = {
    'bucketry_requests_total{operation="PutObject",status="2xx"}': 1,
    'bucketry_requests_total{operation="GetObject",status="2xx"}': 1,
    'bucketry_request_errors_total{operation="GetObject",code="NoSuchKey"}': 1,
    'bucketry_request_sent_bytes_total{operation="HeadObject"}': 0,
    'bucketry_drive_calls_total{drive="memory",call="publish",outcome="ok"}': 1,
    bucketry_open_uploads: 0,
    bucketry_held_parts: 0,
    bucketry_workers: 1,
  }
  for (const [name, value] of Object.entries(expected)) assert.equal(samples.get(name), value, name)
  const read = 'bucketry_database_call_duration_seconds_count{engine="sqlite",call="read"}'
  assert.ok((samples.get(read) ?? 0) > 0)
  assert.ok((samples.get('bucketry_process_resident_memory_bytes') ?? 0) > 10_000_000)
})

test('The number of series does not grow with 1,000 keys', { timeout: 120_000 }, async (t) => {
  const gateway = await startGatewayInProcess(t, { METRICS_TOKEN: token })
  await useKey(gateway, 'first')
  // The first scrape is the first request of its operation.
  const isScrapeCounted = (text: string) => text.includes('operation="Metrics"')
  const before = samplesOf(await scrapeUntil(gateway, isScrapeCounted)).size
  for (let index = 0; index < 1_000; index += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, more) => useKey(gateway, `k${index + more}`)))
  }
  const puts = 'bucketry_requests_total{operation="PutObject",status="2xx"}'
  const text = await scrapeUntil(gateway, (one) => samplesOf(one).get(puts) === 1_001)
  assert.equal(samplesOf(text).size, before)
  assert.doesNotMatch(text, /photos|k\d{3}/)
})
