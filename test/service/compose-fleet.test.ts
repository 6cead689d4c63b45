import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { codeBlockOf } from '../support/code-blocks.ts'
import { freePort } from '../support/free-port.ts'
import { testBucket } from '../support/gateway-process.ts'
import { MainProcess } from '../support/main-process.ts'
import { absenceOfProxy, startPlainNginx } from '../support/reverse-proxy.ts'
import { startStoreProcess } from '../support/s3/store-process.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { startPostgres } from '../support/start-postgres.ts'
import { startRedis } from '../support/start-redis.ts'

const composeFile = join(import.meta.dirname, '../../compose.fleet.yaml')
const gateways = ['gateway-1', 'gateway-2', 'gateway-3'] as const

interface ComposeFile {
  readonly services: Readonly<Record<string, { environment: Readonly<Record<string, string>> }>>
  readonly configs: { readonly nginx: { readonly content: string } }
}

const skip = absenceOfProxy('nginx')

test('the gateways and the balancer of compose.fleet.yaml serve, even while gateways restart', {
  skip,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-fleet-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const [postgres, redis] = [await startPostgres(), await startRedis()]
  assert.ok(postgres && redis, "needs Debian's postgresql and redis-server")
  t.after(() => postgres.stop())
  t.after(() => redis.stop())
  const store = await startStoreProcess('bucketry', { address: '127.0.0.1', folder })
  t.after(() => store.kill())
  const commands = codeBlockOf('docs/fleet.md', 'Try it', 'sh')
  execFileSync('bash', ['-ec', `docker() { :; }\n${commands}`], { cwd: folder })
  // The names of the other containers are known only in Docker's network.
  writeFileSync(join(folder, 'secrets/database-url'), await postgres.createDatabase())
  writeFileSync(join(folder, 'secrets/store-key'), store.secretKey)
  const compose = parse(readFileSync(composeFile, 'utf8')) as ComposeFile
  const start = async (name: string, port: number) => {
    const entries = Object.entries(compose.services[name]?.environment ?? {})
    const main = new MainProcess(folder, {
      ...Object.fromEntries(
        entries.map(([key, value]) => [
          key,
          value.replace('/run/secrets', join(folder, 'secrets')),
        ]),
      ),
      DRIVE: `s3+${store.url}/${testBucket}/folder`,
      S3_DRIVE_ACCESS_KEY: store.accessKey,
      AUTH_KV: redis.url,
      DATA_DIR: join(folder, 'data'),
      SHUTDOWN_DELAY_SECONDS: '0',
      PORT: String(port),
    })
    t.after(() => main.kill())
    await main.url()
    return main
  }
  const ports = await Promise.all(gateways.map(() => freePort()))
  const mains = await Promise.all(gateways.map((name, index) => start(name, ports[index] ?? 0)))
  const port = await freePort()
  const place = join(folder, 'nginx')
  mkdirSync(place)
  const config = gateways.reduce(
    // Debian's nginx is older than `resolve` (1.27.3).
    (text, name, index) =>
      text.replace(`${name}:9000 max_fails=0 resolve`, `127.0.0.1:${ports[index]} max_fails=0`),
    // Compose replaces $$ by $.
    compose.configs.nginx.content
      .replaceAll('$$', '$')
      .replace('listen 9000', `listen 127.0.0.1:${port}`),
  )
  const proxy = await startPlainNginx({ folder: place, port }, config)
  t.after(() => proxy.stop())
  const secretKey = readFileSync(join(folder, 'secrets/secret-key'), 'utf8').trim()
  const server = {
    host: `127.0.0.1:${port}`,
    credentials: { accessKey: 'bucketry', secretKey, region: 'us-east-1' },
  }
  let sent = 0
  const exchange = async () => {
    const target = `/files/object-${sent++}`
    const put = await signedFetch(server, { method: 'PUT', target, body: 'bytes' })
    assert.equal(put.status, 200)
    for (let read = 0; read < gateways.length; read += 1) {
      const got = await signedFetch(server, { method: 'GET', target })
      assert.deepEqual([got.status, await got.text()], [200, 'bytes'])
    }
  }
  await exchange()
  for (const [index, main] of mains.entries()) {
    const restarted = (async () => {
      main.signal('SIGTERM')
      assert.equal(await main.ended(), 0)
      await start(gateways[index] ?? '', ports[index] ?? 0)
    })()
    let isOver = false
    void restarted.finally(() => {
      isOver = true
    })
    while (!isOver) await exchange()
    await restarted
  }
  assert.ok(sent > gateways.length)
})
