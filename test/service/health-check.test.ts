import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeCertificate } from '../support/certificates.ts'
import { freePort } from '../support/free-port.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { startArguments } from '../support/start-command.ts'

const image = join(import.meta.dirname, '../../deploy/docker')

interface Ended {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

function run(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { env: environment }
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

const curl = (...args: readonly string[]) => run([join(image, 'curl.cjs'), ...args])

/** Runs the health check of the image. Resolves with what it reports; empty means healthy. */
async function healthCheck(environment: NodeJS.ProcessEnv): Promise<string> {
  const { status, stderr } = await run([...startArguments(), 'health'], environment)
  assert.equal(status, stderr === '' ? 0 : 1)
  return stderr
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-health-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

for (const scheme of ['http', 'https'] as const) {
  test(`health checks succeed while a gateway serves ${scheme}`, async (t) => {
    const folder = temporaryFolder(t)
    const certificate = scheme === 'https' ? makeCertificate(folder) : undefined
    const gateway = await startGatewayProcess({ folder, ...(certificate && { certificate }) })
    t.after(() => gateway.kill())
    const PORT = String(gateway.port)
    for (const HOST of ['', '0.0.0.0', '127.0.0.1']) {
      assert.equal(await healthCheck({ PORT, HOST }), '', HOST)
    }
    const url = `${scheme}://127.0.0.1:${PORT}/-/livez`
    assert.equal((await curl('-fsk', url)).status, 0)
    assert.equal((await curl('-f', url)).status, scheme === 'http' ? 0 : 60)
  })
}

test('health checks fail if nothing answers', async (t) => {
  const PORT = String(await freePort())
  assert.match(await healthCheck({ PORT }), /ECONNREFUSED/)
  assert.equal((await curl('-sf', `http://127.0.0.1:${PORT}/`)).status, 7)
  const gateway = await startGatewayProcess({ folder: temporaryFolder(t) })
  t.after(() => gateway.kill())
  process.kill(gateway.pid, 'SIGSTOP')
  assert.match(await healthCheck({ PORT: String(gateway.port) }), /no reply in 5000 ms/)
  const late = await curl('-m', '1', `http://127.0.0.1:${gateway.port}/`)
  assert.equal(late.status, 28)
})

/** A server whose replies have the status in their path. */
async function statusServer(t: TestContext): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const status = Number(url.slice(1))
    response.writeHead(status, status === 302 ? { location: '/200' } : {}).end(`body ${status}`)
  })
  server.listen(0, '127.0.0.1')
  t.after(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('curl of the image ends and prints as curl(1) does', async (t) => {
  const url = await statusServer(t)
  const file = join(temporaryFolder(t), 'reply')
  for (const [args, status, stdout] of [
    [['-f', `${url}/200`], 0, 'body 200'],
    [['-fsS', `${url}/503`], 22, ''],
    [['-s', `${url}/503`], 0, 'body 503'],
    [['--fail', '--silent', '--output', file, `${url}/200`], 0, ''],
    [['-s', '-o', '/dev/null', '-w', '%{http_code}', `${url}/404`], 0, '404'],
    [['-sfL', `${url}/302`], 0, 'body 200'],
    [['-s', '-X', 'POST', `${url}/200`], 0, 'body 200'],
    [['--data', 'x', `${url}/200`], 2, ''],
    [[], 2, ''],
  ] as const) {
    const ended = await curl(...args)
    assert.deepEqual([ended.status, ended.stdout], [status, stdout], args.join(' '))
  }
  assert.equal(readFileSync(file, 'utf8'), 'body 200')
  assert.match((await curl('-I', `${url}/200`)).stdout, /^HTTP\/1.1 200\r\n[\s\S]*\r\n\r\n$/)
  assert.match((await curl('--data', 'x', url)).stderr, /small curl for health checks/)
})

test('mc of the image is ready when the gateway is, and says what to install for the rest', async (t) => {
  const folder = temporaryFolder(t)
  const gateway = await startGatewayProcess({ folder })
  t.after(() => gateway.kill())
  const url = `http://127.0.0.1:${gateway.port}`
  const mc = (args: string, environment: NodeJS.ProcessEnv = {}) =>
    run([join(image, 'mc.cjs'), ...args.split(' ')], { MC_CONFIG_DIR: folder, ...environment })
  assert.equal((await mc('ready local', { PORT: String(gateway.port) })).status, 0)
  assert.equal((await mc('ready local', { PORT: String(await freePort()) })).status, 1)
  assert.equal((await mc('ready other')).status, 1)
  assert.equal((await mc(`alias set other ${url} key secret`)).status, 0)
  assert.match((await mc('ready other')).stdout, /^The cluster 'other' is ready/)
  assert.equal((await mc('ready x', { MC_HOST_x: url.replace('//', '//key:secret@') })).status, 0)
  assert.doesNotMatch(readFileSync(join(folder, 'addresses.json'), 'utf8'), /secret/)
  const refused = await mc('mb local/photos')
  assert.deepEqual([refused.status, /go install/.test(refused.stderr)], [1, true])
})
