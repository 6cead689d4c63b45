/** A gateway that is killed again and again, and a receiver of its events that often fails. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { diskFolder } from '../support/disk-folder.ts'
import { type GatewayProcess, startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { Random } from '../support/random.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { startPostgres } from '../support/start-postgres.ts'
import { md5Of } from '../support/test-bytes.ts'

const rounds = Number(process.env.CRASH_ROUNDS ?? (process.env.FULL === '1' ? 100 : 8))
const seed = Number(process.env.CRASH_SEED ?? new Random(Date.now()).integer(1, 2 ** 31))

/** The pauses after them double, also those of the next event of the key: 15 s for two, less than the test waits. */
const mostRefusals = 2

/** Refuses events often, though none more than twice. */
async function startReceiver(t: TestContext, random: Random) {
  /** `EVENT KEY ETAG` of every event that was accepted. */
  const received = new Set<string>()
  const refusals = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const { Records } = (await json(request)) as { Records: readonly EventRecord[] }
    const names = Records.map(({ eventName, s3 }) => {
      const key = decodeURIComponent(s3.object.key.replaceAll('+', ' '))
      return nameOf(eventName.split(':')[0] ?? '', key, s3.object.eTag)
    })
    const before = Math.max(...names.map((name) => refusals.get(name) ?? 0))
    const isAccepted = before === mostRefusals || random.next() < 0.7
    response.writeHead(isAccepted ? 200 : 500).end()
    for (const name of names) {
      if (isAccepted) received.add(name)
      else refusals.set(name, before + 1)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  return { received, url: `http://127.0.0.1:${port}/` }
}

interface EventRecord {
  readonly eventName: string
  readonly s3: { readonly object: { readonly key: string; readonly eTag?: string } }
}

function nameOf(event: string, key: string, etag = ''): string {
  return `${event} ${key} ${etag}`.trimEnd()
}

/** Writes and removes objects until the gateway no longer answers, and notes what it was told. */
async function change(server: GatewayProcess, client: string, random: Random, told: Set<string>) {
  for (let count = 0; ; count += 1) {
    const key = `${client} é+${count}`
    const target = `/${testBucket}/${encodeURIComponent(key)}`
    const body = `${random.next()}`
    const put = await signedFetch(server, { method: 'PUT', target, body })
    assert.equal(put.status, 200)
    told.add(nameOf('ObjectCreated', key, md5Of(Buffer.from(body))))
    if (random.next() < 0.5) continue
    const removed = await signedFetch(server, { method: 'DELETE', target })
    assert.equal(removed.status, 204)
    told.add(nameOf('ObjectRemoved', key))
  }
}

/** @param gateways settings of each; all of them share the folder */
async function crashAgainAndAgain(
  t: TestContext,
  gateways: readonly Readonly<Record<string, string>>[],
  rounds: number,
) {
  t.diagnostic(`CRASH_SEED=${seed}`)
  const random = new Random(seed)
  const { received, url } = await startReceiver(t, random)
  const folder = mkdtempSync(join(diskFolder, 'bucketry-events-crash-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const start = (settings: Readonly<Record<string, string>>) =>
    startGatewayProcess({
      folder,
      settings: { NOTIFY_WEBHOOK: url, WORKERS: '2', LOG_LEVEL: 'warn', ...settings },
    })
  const told = new Set<string>()
  for (let round = 0; round < rounds; round += 1) {
    const servers: GatewayProcess[] = []
    try {
      for (const settings of gateways) servers.push(await start(settings))
      const kills = servers.map((server) =>
        delay(random.integer(50, 900)).then(() => server.kill()),
      )
      const clients = ['a', 'b', 'c'].map((name, at) => {
        const server = servers[at % servers.length] ?? assert.fail()
        return change(server, `${round}${name}`, new Random(random.integer(1, 2 ** 30)), told)
      })
      for (const result of await Promise.allSettled(clients)) {
        assert.equal(result.status, 'rejected')
        if (result.reason instanceof assert.AssertionError) throw result.reason
      }
      await Promise.all(kills)
    } finally {
      await Promise.all(servers.map((server) => server.kill()))
    }
  }
  const server = await start(gateways[0] ?? {})
  try {
    const missing = () => [...told].filter((name) => !received.has(name))
    await until(async () => missing().length === 0).catch(() => undefined)
    assert.deepEqual(missing(), [], server.logs())
  } finally {
    await server.kill()
  }
  assert.ok(told.size > rounds, `only ${told.size} changes`)
  t.diagnostic(`${rounds} crashes, ${told.size} changes, ${received.size} events`)
}

test('a gateway killed at random moments sends an event of every change that it acknowledged', async (t) => {
  await crashAgainAndAgain(t, [{}], rounds)
})

test('so do two gateways on PostgreSQL', async (t) => {
  const postgres = await startPostgres()
  if (postgres === undefined) return t.skip('PostgreSQL is not installed (.ci/run installs it)')
  t.after(() => postgres.stop())
  const shared = { DATABASE_URL: await postgres.createDatabase() }
  await crashAgainAndAgain(t, [shared, shared], Math.ceil(rounds / 2))
})
