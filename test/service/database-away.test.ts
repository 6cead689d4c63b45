import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { makeCertificate } from '../support/certificates.ts'
import { freePort } from '../support/free-port.ts'
import {
  type GatewayProcess,
  startGatewayProcess,
  testBucket,
  testCredentials,
} from '../support/gateway-process.ts'
import { absenceOfProxy, type ReverseProxy, startFleetNginx } from '../support/reverse-proxy.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { signHeaders } from '../support/signed-request.ts'
import { type OwnPostgres, startOwnPostgres } from '../support/start-postgres.ts'

const gatewayCount = 3
const objects = 900
const readers = 6
/** AWAY_SECONDS=30 is what issue reports compare; CI has less time. */
const awayMs = Number(process.env.AWAY_SECONDS ?? 8) * 1_000

const postgres = absenceOfProxy('nginx') ? undefined : await startOwnPostgres()
const skip = postgres === undefined && (absenceOfProxy('nginx') || "needs Debian's postgresql")

interface Reply {
  readonly status: number | undefined
  readonly isMarked: boolean
  readonly type: string | undefined
  readonly body: string
}

describe('Three gateways behind nginx while PostgreSQL is away', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-away-'))
  const server = postgres as OwnPostgres
  let gateways: GatewayProcess[] = []
  let proxy: ReverseProxy
  let host: string
  let agent: Agent

  before(async () => {
    const url = await server.createDatabase()
    mkdirSync(join(folder, 'proxy'))
    gateways = await Promise.all(
      Array.from({ length: gatewayCount }, () =>
        startGatewayProcess({
          folder,
          settings: { WORKERS: '1', LOG_LEVEL: 'warn', DATABASE_URL: url },
        }),
      ),
    )
    const certificate = makeCertificate(folder, ['DNS:localhost'])
    const port = await freePort()
    host = `localhost:${port}`
    agent = new Agent({ ca: readFileSync(certificate.caFile), keepAlive: true })
    const place = { folder: join(folder, 'proxy'), port, certificate }
    proxy = await startFleetNginx(
      place,
      gateways.map((gateway) => gateway.port),
    )
    const [first] = gateways
    assert.ok(first)
    for (let number = 0; number < objects; number += 1) {
      const headers = { 'content-type': 'text/x-kept' }
      const put = { method: 'PUT', target: targetOf(number), headers, body: textOf(number) }
      assert.equal((await signedFetch(first, put)).status, 200)
    }
  })
  after(async () => {
    agent?.destroy()
    await proxy?.stop()
    await Promise.all(gateways.map((gateway) => gateway.kill()))
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  function send(method: string, target: string): Promise<Reply> {
    const headers = signHeaders({ method, target, host }, testCredentials)
    return new Promise((resolve, reject) => {
      const request = httpsRequest(`https://${host}${target}`, { agent, method, headers })
      request.on('error', reject)
      request.on('response', (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('error', reject)
        response.on('end', () => {
          resolve({
            status: response.statusCode,
            isMarked: response.headers['x-bucketry-attributes'] === 'unavailable',
            type: response.headers['content-type'],
            body: String(Buffer.concat(parts)),
          })
        })
      })
      request.end()
    })
  }

  /** Reads objects in turn until the time is over. Those read before are in the gateways' caches. */
  async function readWhile(durationMs: number, from: number) {
    const endAt = performance.now() + durationMs
    const replies: Reply[] = []
    let next = from
    const reader = async (): Promise<void> => {
      while (performance.now() < endAt) {
        const number = next++ % objects
        const reply = await send('GET', targetOf(number))
        if (reply.status === 200) assert.equal(reply.body, textOf(number))
        // What is not marked is exact.
        if (reply.status === 200 && !reply.isMarked) assert.equal(reply.type, 'text/x-kept')
        replies.push(reply)
        await wait(2)
      }
    }
    await Promise.all(Array.from({ length: readers }, reader))
    return replies
  }

  async function probesOf(path: string): Promise<number[]> {
    return await Promise.all(
      gateways.map(async ({ url }) => (await fetch(`${url}/-/readyz${path}`)).status),
    )
  }

  /** Until each gateway has noticed: then all replies are complete, because nothing provisional is kept. */
  async function untilBack(): Promise<void> {
    for (;;) {
      const ready = await probesOf('')
      const replies = await readWhile(1_000, 0)
      const isBack = ready.every((status) => status === 200)
      if (isBack && replies.every(({ status, isMarked }) => status === 200 && !isMarked)) return
    }
  }

  for (const [name, leave, comeBack] of [
    ['refuses', () => server.goAway(), () => server.comeBack()],
    ['does not answer', async () => server.freeze(), async () => server.thaw()],
  ] as const) {
    it(`serves 99 % of GETs when it ${name}`, { timeout: 60_000 + 2 * awayMs }, async (t) => {
      await leave()
      const reading = readWhile(awayMs, 0)
      await wait(awayMs / 2)
      const [reads, writes] = [await probesOf('/reads'), await probesOf('/writes')]
      const replies = await reading
      await comeBack()
      await untilBack()
      const served = replies.filter(({ status }) => status === 200)
      const marked = served.filter(({ isMarked }) => isMarked)
      const counts = `${served.length} of ${replies.length}, ${marked.length} of them marked`
      t.diagnostic(counts)
      assert.ok(served.length >= 0.99 * replies.length, counts)
      assert.ok(marked.length > 0, counts)
      assert.deepEqual(reads, [200, 200, 200])
      assert.deepEqual(writes, [503, 503, 503])
    })
  }
})

function targetOf(number: number): string {
  return `/${testBucket}/object-${number}.jpg`
}

function textOf(number: number): string {
  return `text of object ${number}`
}
