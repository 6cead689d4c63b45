import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { MainProcess } from '../support/main-process.ts'
import { ManagementClient } from '../support/management-client.ts'
import { answer } from '../support/wire-case.ts'

const root = { MINIO_ROOT_USER: 'app', MINIO_ROOT_PASSWORD: 'at-least-8-characters' }
const credentials = { accessKey: 'app', secretKey: 'at-least-8-characters', region: 'us-east-1' }

interface Started {
  readonly folder: string
  readonly args: readonly string[]
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts the command of a MinIO service. @returns the process, its address and a client with the root user's keys */
async function start(t: TestContext, { folder, args, settings }: Started) {
  const main = new MainProcess(folder, { ...root, ...settings }, { args })
  t.after(() => main.kill())
  const url = await main.url()
  const { host } = new URL(url)
  const ask = (method: string, target: string, more: object = {}) =>
    answer({ host, credentials }, { title: '', method, target, status: 200, ...more })
  const warnings = () => main.lines.filter(({ level }) => level === 40).map(({ msg }) => msg)
  return { main, url, ask, warnings }
}

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-from-minio-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

/** docs/moving-in.md, "From MinIO". */
test('the environment and command of a MinIO service start the gateway and the dashboard', async (t) => {
  const folder = makeFolder(t)
  const consolePort = await freePort()
  const { main, url, ask, warnings } = await start(t, {
    folder,
    args: ['minio', 'server', 'export', '--console-address', `:${consolePort}`],
    settings: { MINIO_BROWSER: 'on', MINIO_KMS_SECRET_KEY: 'key:secret' },
  })
  assert.equal((await fetch(`${url}/minio/health/live`)).status, 200)
  await ask('GET', '/', { xml: { ListAllMyBucketsResult: { Buckets: '' } } })
  await ask('HEAD', '/photos', { status: 404 })
  await ask('PUT', '/photos')
  await ask('PUT', '/photos/a/b.txt', { body: 'bytes' })
  await ask('GET', '/photos/a/b.txt', { text: 'bytes' })
  assert.equal(readFileSync(join(folder, 'export/drive/photos/a/b.txt'), 'utf8'), 'bytes')
  assert.equal(warnings().filter((text) => text.startsWith('Started with the variables')).length, 1)
  assert.ok(warnings().some((text) => text.startsWith('MINIO_KMS_SECRET_KEY: no effect')))
  const console = `http://127.0.0.1:${consolePort}`
  const visit = await fetch(console, { headers: { accept: 'text/html' }, redirect: 'manual' })
  assert.equal(visit.headers.get('location'), '/-/')
  await ManagementClient.signIn(console, credentials.secretKey)
  assert.doesNotMatch(main.log + main.stderr, /at-least-8|key:secret/)
})

test('default buckets are created with their access, and later starts change neither', async (t) => {
  const folder = makeFolder(t)
  mkdirSync(join(folder, 'export/made-by-mkdir'), { recursive: true })
  const started = {
    ...{ folder, args: ['server', 'export'] },
    settings: { MINIO_DEFAULT_BUCKETS: 'files,open:public,read:download' },
  }
  const { main, url, ask, warnings } = await start(t, started)
  for (const name of ['made-by-mkdir', 'files', 'open', 'read']) await ask('HEAD', `/${name}`)
  const statusOf = async (method: string, path: string) => {
    const body = method === 'PUT' ? { body: 'bytes' } : {}
    return (await fetch(`${url}${path}`, { method, ...body })).status
  }
  assert.equal(await statusOf('PUT', '/open/a'), 200)
  assert.equal(await statusOf('GET', '/open/a'), 200)
  assert.equal(await statusOf('PUT', '/read/a'), 403)
  assert.equal(await statusOf('GET', '/read'), 200)
  assert.equal(await statusOf('GET', '/files'), 403)
  assert.ok(warnings().some((text) => /everyone may write to it/.test(text)))
  await ask('DELETE', '/open?policy', { status: 204 })
  await main.kill()
  const again = await start(t, started)
  assert.equal((await fetch(`${again.url}/open/a`)).status, 403)
  await again.ask('GET', '/open/a', { text: 'bytes' })
})

test('the webhook of a MinIO service receives the events that mc event add asks for', async (t) => {
  const received: string[] = []
  let wake: () => void = () => undefined
  const receiver = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const [record] = JSON.parse(body).Records
    received.push(`${request.headers.authorization} ${record.eventName} ${record.s3.object.key}`)
    response.end()
    wake()
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  t.after(() => receiver.close())
  const { port } = receiver.address() as AddressInfo
  const { ask } = await start(t, {
    ...{ folder: makeFolder(t), args: ['server', 'export'] },
    settings: {
      MINIO_DEFAULT_BUCKETS: 'photos',
      MINIO_NOTIFY_WEBHOOK_ENABLE_MAIN: 'on',
      MINIO_NOTIFY_WEBHOOK_ENDPOINT_MAIN: `http://127.0.0.1:${port}/events`,
      MINIO_NOTIFY_WEBHOOK_AUTH_TOKEN_MAIN: 'token',
    },
  })
  const arn = 'arn:minio:sqs::MAIN:webhook'
  const rule = `<Queue>${arn}</Queue><Event>s3:ObjectCreated:*</Event>`
  await ask('PUT', '/photos?notification', {
    body: `<NotificationConfiguration><QueueConfiguration>${rule}</QueueConfiguration></NotificationConfiguration>`,
  })
  const isReceived = new Promise<void>((resolve) => {
    wake = resolve
  })
  await ask('PUT', '/photos/a', { body: 'bytes' })
  await isReceived
  assert.deepEqual(received, ['Bearer token ObjectCreated:Put a'])
})
