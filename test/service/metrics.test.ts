import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { request as requestTls } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { makeCertificate } from '../support/certificates.ts'
import { MainProcess } from '../support/main-process.ts'

const token = 'a-token-of-this-test'
const keys = {
  ACCESS_KEY: 'AKEXAMPLE',
  SECRET_KEY: 'hunter2hunter2hunter2',
  ALLOWED_BUCKETS: 'photos',
}

function start(t: TestContext, settings: Record<string, string>): MainProcess {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-metrics-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const main = new MainProcess(folder, { ...keys, ...settings })
  t.after(() => main.kill())
  return main
}

/** The address of METRICS_PORT. */
async function metricsUrl(main: MainProcess): Promise<string> {
  const { port } = await main.line(({ msg }) => msg === 'serving metrics')
  return `http://127.0.0.1:${port}/-/metrics`
}

type Samples = ReadonlyMap<string, number>

async function scrape(url: string): Promise<Samples> {
  const reply = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  assert.equal(reply.status, 200)
  const lines = (await reply.text()).split('\n').filter((line) => /^[a-z]/.test(line))
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(' ')
      return [line.slice(0, space), Number(line.slice(space + 1))]
    }),
  )
}

const refused = 'bucketry_requests_total{operation="GetObject",status="4xx"}'

/** Requests that are refused, each on a connection of its own, so that every worker gets some. */
async function refuse(url: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    await new Promise<void>((resolve, reject) => {
      const sent = request(`${url}/photos/k`, { agent: false }, (reply) => {
        reply.resume().on('end', resolve)
      })
      sent.on('error', reject).end()
    })
  }
}

/** Requests are counted when their reply has ended, which the client may notice first. */
async function untilCounted(url: string, count: number): Promise<void> {
  await scrapeUntil(url, (samples) => samples.get(refused) === count)
}

/** A scrape may return the answer of the latest second. */
async function scrapeUntil(url: string, fits: (samples: Samples) => boolean): Promise<Samples> {
  for (;;) {
    const samples = await scrape(url)
    if (fits(samples)) return samples
    await delay(20)
  }
}

test('A scrape on any port has the requests of all workers', { timeout: 60_000 }, async (t) => {
  const main = start(t, { WORKERS: '3', METRICS_PORT: '0', METRICS_TOKEN: token })
  const url = await main.url()
  await refuse(url, 30)
  await untilCounted(await metricsUrl(main), 30)
  const samples = await scrape(`${url}/-/metrics`)
  assert.equal(samples.get(refused), 30)
  assert.equal(samples.get('bucketry_workers'), 3)
  assert.equal(samples.get('bucketry_workers_silent'), 0)
})

test('Counters never decrease while workers die during scrapes', { timeout: 60_000 }, async (t) => {
  const main = start(t, { WORKERS: '3', METRICS_PORT: '0' })
  const [url, metrics] = [await main.url(), await metricsUrl(main)]
  await refuse(url, 30)
  await untilCounted(metrics, 30)
  let last = 30
  for (let deaths = 1; deaths <= 4; deaths++) {
    const scrapes = [scrape(metrics), scrape(metrics)]
    const [worker = 0] = main.workers()
    process.kill(worker, 'SIGKILL')
    for (const samples of await Promise.all([...scrapes, scrape(metrics)])) {
      const count = samples.get(refused) ?? 0
      assert.ok(count >= last, `${count} after ${last}`)
      last = count
    }
    const samples = await scrapeUntil(
      metrics,
      (one) => one.get('bucketry_worker_deaths_total') === deaths,
    )
    assert.equal(samples.get(refused), 30)
    await scrapeUntil(metrics, (one) => one.get('bucketry_workers') === 3)
  }
})

test('A worker that hangs does not hang scrapes, and its counters are kept', {
  timeout: 60_000,
}, async (t) => {
  const main = start(t, { WORKERS: '2', METRICS_PORT: '0' })
  const [url, metrics] = [await main.url(), await metricsUrl(main)]
  await refuse(url, 10)
  await untilCounted(metrics, 10)
  const [worker = 0] = main.workers()
  process.kill(worker, 'SIGSTOP')
  const startedAt = performance.now()
  const samples = await scrapeUntil(metrics, (one) => one.get('bucketry_workers_silent') === 1)
  assert.ok(performance.now() - startedAt < 8_000)
  assert.equal(samples.get(refused), 10)
  await main.line(({ msg }) => msg === 'a worker died; restarting it')
  assert.equal((await scrape(metrics)).get(refused), 10)
})

test('Clients that stall on METRICS_PORT do not keep others from scraping', {
  timeout: 60_000,
}, async (t) => {
  const main = start(t, { METRICS_PORT: '0' })
  await main.url()
  const metrics = await metricsUrl(main)
  const { port } = new URL(metrics)
  const stalled = Array.from({ length: 100 }, () => connect(Number(port), '127.0.0.1'))
  t.after(() => {
    for (const socket of stalled) socket.destroy()
  })
  for (const socket of stalled) {
    socket.on('error', () => undefined)
    await Promise.race([once(socket, 'connect'), once(socket, 'close')])
    // None of them reads a byte.
    socket.pause()
    socket.write('GET /-/metrics HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20))
  }
  // Connections that are idle for a second make room.
  for (;;) {
    const reply = await fetch(metrics).catch(() => undefined)
    if (reply?.status === 200) break
    await delay(100)
  }
})

test('The port of S3 answers 404 with METRICS_PORT alone, and 401 without the token', async (t) => {
  const [open, closed] = [
    start(t, { METRICS_PORT: '0' }),
    start(t, { METRICS_PORT: '0', METRICS_TOKEN: token }),
  ]
  assert.equal((await fetch(`${await open.url()}/-/metrics`)).status, 404)
  assert.equal((await fetch(await metricsUrl(open))).status, 200)
  assert.equal((await fetch(`${await closed.url()}/-/metrics`)).status, 401)
  assert.equal((await fetch(await metricsUrl(closed))).status, 401)
  assert.doesNotMatch(closed.log + closed.stderr, new RegExp(token))
})

test('METRICS_PORT speaks HTTPS if PORT does', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-metrics-tls-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const { certFile, keyFile, caFile } = makeCertificate(folder)
  const main = start(t, { METRICS_PORT: '0', TLS_CERT: certFile, TLS_KEY: keyFile })
  await main.url()
  const { port } = new URL(await metricsUrl(main))
  assert.equal((await fetch(`http://127.0.0.1:${port}/metrics`)).status, 400)
  const status = await new Promise((resolve, reject) => {
    const options = { port, path: '/metrics', ca: readFileSync(caFile), agent: false }
    const sent = requestTls(options, (reply) => resolve(reply.resume().statusCode))
    sent.on('error', reject).end()
  })
  assert.equal(status, 200)
})

test('A scrape while the gateway stops counts no worker as dead', {
  timeout: 60_000,
}, async (t) => {
  const main = start(t, { WORKERS: '3', METRICS_PORT: '0' })
  await main.url()
  const metrics = await metricsUrl(main)
  main.signal('SIGTERM')
  await main.line(({ msg }) => msg === 'stopping')
  for (;;) {
    const samples = await scrape(metrics).catch(() => undefined)
    if (samples === undefined) break
    assert.equal(samples.get('bucketry_worker_deaths_total'), 0)
  }
  assert.equal(await main.ended(), 0)
})

test('METRICS_PORT that is PORT, or is in use, stops the start with a message that names it', async (t) => {
  const main = start(t, { METRICS_PORT: '0' })
  await main.url()
  const { port } = new URL(await metricsUrl(main))
  const same = start(t, { PORT: port, METRICS_PORT: port })
  assert.equal(await same.ended(), 1)
  assert.match(same.stderr, /METRICS_PORT is the same as PORT/)
  for (const WORKERS of ['1', '2']) {
    const other = start(t, { METRICS_PORT: port, WORKERS })
    assert.equal(await other.ended(), 1)
    assert.match(other.stderr, new RegExp(`port ${port} is in use.*set METRICS_PORT`))
  }
})
