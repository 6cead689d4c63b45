import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeCertificate } from '../support/certificates.ts'
import { MainProcess } from '../support/main-process.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { signHeaders } from '../support/signed-request.ts'
import { startArguments } from '../support/start-command.ts'
import { athenaRow } from '../unit/app/telemetry/access-log/athena-expression.ts'

const credentials = {
  accessKey: 'AKEXAMPLE',
  secretKey: 'hunter2hunter2hunter2',
  region: 'us-east-1',
}
const required = {
  ACCESS_KEY: credentials.accessKey,
  SECRET_KEY: credentials.secretKey,
  ALLOWED_BUCKETS: 'photos',
}

async function start(t: TestContext, settings: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-access-log-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const main = new MainProcess(folder, { ...required, ...settings })
  t.after(() => main.kill())
  return { folder, main }
}

async function stop(main: MainProcess): Promise<void> {
  main.signal('SIGTERM')
  assert.equal(await main.ended(), 0)
}

function rowsOf(path: string) {
  const text = readFileSync(path, 'latin1')
  assert.ok(text === '' || text.endsWith('\n'))
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => athenaRow(line) ?? assert.fail(`not a line of an access log: ${line}`))
}

test('Workers write whole lines of S3 requests to ACCESS_LOG_FILE, and everything else to the log', async (t) => {
  const { folder, main } = await start(t, {
    ACCESS_LOG_FORMAT: 's3',
    ACCESS_LOG_FILE: 'access.log',
    WORKERS: '2',
  })
  const url = await main.url()
  const server = { host: new URL(url).host, credentials }
  const key = 'k'.repeat(1_000)
  const get = async (index: number) => {
    const target = `/photos/${key}${index}?x-id=${'q'.repeat(3_000)}`
    const reply = await signedFetch(server, { method: 'GET', target })
    await reply.text()
    return reply.headers.get('x-amz-request-id')
  }
  const ids = await Promise.all(Array.from({ length: 200 }, (_, index) => get(index)))
  await fetch(`${url}/-/healthz`)
  await stop(main)
  const rows = rowsOf(join(folder, 'access.log'))
  assert.deepEqual(rows.map(({ requestid }) => requestid).sort(), ids.sort())
  for (const { operation, httpstatus, errorcode } of rows) {
    assert.deepEqual([operation, httpstatus, errorcode], ['REST.GET.OBJECT', '404', 'NoSuchKey'])
  }
  const requests = main.lines.filter(({ msg }) => msg === 'request')
  assert.deepEqual(
    requests.map(({ method, status }) => [method, status]),
    [['GET', 200]],
  )
})

test('SIGHUP continues the access log of every worker in a new file', async (t) => {
  const { folder, main } = await start(t, {
    ACCESS_LOG_FORMAT: 's3',
    ACCESS_LOG_FILE: 'access.log',
    WORKERS: '2',
  })
  const url = await main.url()
  const path = join(folder, 'access.log')
  const getSome = async (bucket: string) => {
    for (let count = 0; count < 8; count += 1) {
      await fetch(`${url}/${bucket}`, { headers: { connection: 'close' } })
    }
  }
  await getSome('before')
  renameSync(path, `${path}.1`)
  main.signal('SIGHUP')
  const reopened = () => main.lines.filter(({ msg }) => msg === 'access log reopened')
  await main.line(() => new Set(reopened().map(({ pid }) => pid)).size === 2)
  await getSome('after')
  await stop(main)
  const buckets = (name: string) => rowsOf(name).map(({ bucket_name }) => bucket_name)
  assert.deepEqual(buckets(`${path}.1`), Array(8).fill('before'))
  assert.deepEqual(buckets(path), Array(8).fill('after'))
})

/** The address in the banner, for a start whose log is not on standard output. */
async function urlOfBanner(main: MainProcess): Promise<string> {
  for (;;) {
    const url = /serves S3 at (http:\S+)/.exec(main.stderr)?.[1]
    if (url !== undefined) return url
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test('An access log that cannot be reopened goes on in the old file', async (t) => {
  const { folder, main } = await start(t, {
    ACCESS_LOG_FORMAT: 's3',
    ACCESS_LOG_FILE: 'access.log',
    WORKERS: '1',
  })
  const url = await main.url()
  const path = join(folder, 'access.log')
  renameSync(path, `${path}.1`)
  mkdirSync(path)
  main.signal('SIGHUP')
  await main.line(({ msg }) => msg.startsWith('the access log could not be reopened'))
  await fetch(`${url}/photos`)
  rmdirSync(path)
  main.signal('SIGHUP')
  await main.line(({ msg }) => msg === 'access log reopened')
  await fetch(`${url}/photos`)
  await stop(main)
  assert.equal(rowsOf(`${path}.1`).length, 1)
  assert.equal(rowsOf(path).length, 1)
})

test('Without ACCESS_LOG_FILE, standard output has only the S3 lines, and the log is on standard error', async (t) => {
  const { main } = await start(t, { ACCESS_LOG_FORMAT: 's3' })
  const url = await urlOfBanner(main)
  await fetch(`${url}/photos`)
  await fetch(`${url}/-/healthz`)
  await stop(main)
  assert.match(main.log, /^bucketry photos \[[^\n]*\n$/)
  assert.match(main.stderr, /"msg":"request"/)
})

test('ACCESS_LOG_FILE takes the JSON lines of requests too, whatever LOG_LEVEL is', async (t) => {
  const { folder, main } = await start(t, {
    ACCESS_LOG_FILE: 'requests.log',
    LOG_LEVEL: 'error',
  })
  const url = await urlOfBanner(main)
  await fetch(`${url}/-/healthz`)
  await stop(main)
  const line = JSON.parse(readFileSync(join(folder, 'requests.log'), 'utf8'))
  assert.equal(line.status, 200)
  assert.equal(main.log, '')
})

test('A line has the sizes, times and TLS properties of its request', async (t) => {
  const { folder, main } = await start(t, {
    ...tlsSettings(t),
    ACCESS_LOG_FORMAT: 's3',
    ACCESS_LOG_FILE: 'access.log',
  })
  const { host, port } = new URL(await main.url())
  const send = (method: string, headers: Record<string, string> = {}, body = '') =>
    new Promise<void>((resolve, reject) => {
      const target = '/photos/a%20key'
      const signed = signHeaders({ method, target, host, headers }, credentials)
      const options = { port, method, path: target, headers: signed, rejectUnauthorized: false }
      const sent = request(options, (reply) => reply.resume().on('end', resolve))
      sent.on('error', reject).end(body)
    })
  await send('PUT', {}, 'x'.repeat(1_000))
  await send('GET', { range: 'bytes=0-9' })
  await send('HEAD')
  await stop(main)
  const rows = rowsOf(join(folder, 'access.log'))
  assert.deepEqual(
    rows.map((row) => [row.operation, row.httpstatus, row.bytessent, row.objectsize, row.key]),
    [
      ['REST.PUT.OBJECT', '200', '-', '1000', 'a%20key'],
      ['REST.GET.OBJECT', '206', '10', '1000', 'a%20key'],
      ['REST.HEAD.OBJECT', '200', '-', '1000', 'a%20key'],
    ],
  )
  for (const row of rows) {
    assert.match(row.totaltime, /^\d+$/)
    assert.ok(Number(row.turnaroundtime) <= Number(row.totaltime) + 1)
    assert.deepEqual([row.requester, row.sigv, row.authtype], ['bucketry', 'SigV4', 'AuthHeader'])
    assert.equal(row.ciphersuite, 'TLS_AES_256_GCM_SHA384')
    assert.equal(row.tlsversion, 'TLSv1.3')
    assert.equal(row.endpoint, host)
  }
})

test('The start fails with the reason when the access log cannot be written or can be read by clients', async (t) => {
  for (const [path, reason] of [
    [
      'missing/access.log',
      /ACCESS_LOG_FILE is .*access\.log": expected a file that can be written/,
    ],
    ['data/drive/photos/access.log', /ACCESS_LOG_FILE is .* outside the buckets/],
  ] as const) {
    for (const workers of ['1', '2']) {
      const { main } = await start(t, { ACCESS_LOG_FILE: path, WORKERS: workers })
      assert.equal(await main.ended(), 1)
      assert.match(main.stderr, reason)
    }
  }
})

test('bucketry check reports whether the access log can be written, and creates nothing', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-access-log-check-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const check = (path: string) =>
    spawnSync(process.execPath, [...startArguments(), 'check', '--create'], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...required, ACCESS_LOG_FILE: path },
      encoding: 'utf8',
    })
  const good = check('access.log')
  assert.equal(good.status, 0)
  assert.match(good.stdout, /^access log: .*access\.log can be written$/m)
  assert.ok(!existsSync(join(folder, 'access.log')))
  assert.match(check('data/access.log').stdout, /access\.log does not exist yet; the first start/)
  const bad = check('missing/access.log')
  assert.equal(bad.status, 1)
  assert.match(bad.stderr, /ACCESS_LOG_FILE is .*: expected a file that can be written/)
})

function tlsSettings(t: TestContext): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-access-log-tls-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const { certFile, keyFile } = makeCertificate(folder)
  return { TLS_CERT: certFile, TLS_KEY: keyFile }
}
