import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeCertificate } from '../support/certificates.ts'
import { freePort } from '../support/free-port.ts'
import {
  type GatewayProcess,
  startGatewayProcess,
  testBucket,
  testCredentials,
} from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { absenceOfProxy, type ProxyName, startRollingProxy } from '../support/reverse-proxy.ts'
import { signHeaders } from '../support/signed-request.ts'
import { testBytes } from '../support/test-bytes.ts'

const requests = 5_000
const clients = 8
/**
 * Until then, the proxy opens its connections. A gateway that stops at once resets those that it has not accepted yet, and
 * nginx does not repeat a request whose body it has passed on.
 */
const requestsBefore = 500
const mostBytes = 64 * 1024
/** Both gateways are restarted in turn, this many times. */
const rounds = 2
/** Caddy has to notice that a gateway will stop, and that it serves again. */
const shutdownDelaySeconds: Readonly<Record<ProxyName, number>> = { nginx: 0, caddy: 5 }

for (const name of ['nginx', 'caddy'] as const) {
  test(`A rolling restart of two gateways behind ${name} fails no request of 5,000`, {
    skip: absenceOfProxy(name),
  }, async (t) => {
    const { send, restart } = await startPair(t, name)
    assert.equal(
      await failureOf(send, { method: 'PUT', target: steady.target, body: steady.bytes }),
      undefined,
    )
    const failures: string[] = []
    let sent = 0
    const isLoaded = Promise.withResolvers<void>()
    const client = async (): Promise<void> => {
      while (sent < requests || restarts !== undefined) {
        const number = sent++
        const failure = await failureOf(send, callOf(number))
        if (failure !== undefined) failures.push(`request ${number}: ${failure}`)
        if (number === requestsBefore) isLoaded.resolve()
      }
    }
    let restarts: Promise<void> | undefined = isLoaded.promise.then(restart).finally(() => {
      restarts = undefined
    })
    await Promise.all([restarts, ...Array.from({ length: clients }, client)])
    assert.deepEqual(failures, [])
    assert.ok(sent >= requests, `${sent} requests`)
  })
}

interface Reply {
  readonly status: number | undefined
  readonly body: Buffer
}

interface Call {
  readonly method: string
  readonly target: string
  readonly body?: Uint8Array
}

type Send = (call: Call) => Promise<Reply>

const steady = { target: `/${testBucket}/steady`, bytes: testBytes('steady', mostBytes) }

/** The request with this number, of a mix of five. */
function callOf(number: number): Call {
  const mix: readonly Call[] = [
    {
      method: 'PUT',
      target: `/${testBucket}/object-${number}`,
      body: testBytes(String(number), (number * 7_919) % mostBytes),
    },
    { method: 'GET', target: steady.target },
    { method: 'GET', target: `/${testBucket}?list-type=2&max-keys=10` },
    { method: 'HEAD', target: steady.target },
    {
      method: 'POST',
      target: `/${testBucket}?delete=`,
      body: Buffer.from(`<Delete><Object><Key>gone-${number}</Key></Object></Delete>`),
    },
  ]
  return mix[number % mix.length] ?? assert.fail()
}

/** Sends a request once. Returns what was wrong, if anything was. */
async function failureOf(send: Send, call: Call): Promise<string | undefined> {
  const name = `${call.method} ${call.target}`
  try {
    const { status, body } = await send(call)
    if (status !== 200) return `${name}: ${status} ${body}`
    const isSteady = call.method === 'GET' && call.target === steady.target
    return !isSteady || body.equals(steady.bytes) ? undefined : `${name}: other bytes`
  } catch (error) {
    return `${name}: ${error}`
  }
}

interface Pair {
  readonly send: Send
  /** Restarts each gateway once it is the other's turn. */
  restart(): Promise<void>
}

async function startPair(t: TestContext, name: ProxyName): Promise<Pair> {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-rolling-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const ports = [await freePort(), await freePort()] as const
  const settings = {
    WORKERS: '1',
    SHUTDOWN_DELAY_SECONDS: String(shutdownDelaySeconds[name]),
  }
  const startOne = (index: 0 | 1) => startGatewayProcess({ folder, port: ports[index], settings })
  const gateways: [GatewayProcess, GatewayProcess] = [await startOne(0), await startOne(1)]
  t.after(() => Promise.all(gateways.map((gateway) => gateway.kill())))
  const certificate = makeCertificate(folder, ['DNS:localhost'])
  const port = await freePort()
  const proxyFolder = join(folder, 'proxy')
  mkdirSync(proxyFolder)
  const proxy = await startRollingProxy(name, { folder: proxyFolder, port, certificate }, ports)
  t.after(() => proxy.stop())
  const agent = new Agent({ ca: readFileSync(certificate.caFile), keepAlive: true })
  t.after(() => agent.destroy())
  return {
    send: (call) => send(agent, `localhost:${port}`, call),
    async restart() {
      for (let round = 0; round < rounds; round += 1) {
        for (const index of [0, 1] as const) {
          assert.equal(await gateways[index].stop(), 0)
          gateways[index] = await startOne(index)
          // The proxy has noticed when the gateway has served a request.
          await until(() => gateways[index].logs().includes('"operation":"'))
        }
      }
    },
  }
}

function send(agent: Agent, host: string, { method, target, body }: Call): Promise<Reply> {
  const signed = signHeaders({ method, target, host }, testCredentials)
  const content = body && {
    'content-length': body.length,
    // DeleteObjects requires it.
    'content-md5': createHash('md5').update(body).digest('base64'),
  }
  const headers = { ...signed, ...content }
  return new Promise((resolve, reject) => {
    const request = httpsRequest(`https://${host}${target}`, { agent, method, headers })
    request.on('error', reject)
    request.on('response', (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode, body: Buffer.concat(parts) }))
    })
    request.end(body)
  })
}
