import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type GatewayProcess, startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import {
  type OwnPostgres,
  startOwnPostgres,
  takeAllConnections,
} from '../support/start-postgres.ts'

const gatewayCount = 3
const maxConnections = 20
const requests = 1_200
const clientsOfEach = 20

const postgres = await startOwnPostgres([`max_connections=${maxConnections}`])
const skip = postgres === undefined && "needs Debian's postgresql"

describe('Three gateways on a PostgreSQL with few connections', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-connections-'))
  const server = postgres as OwnPostgres
  let url: string
  let gateways: GatewayProcess[] = []

  before(async () => {
    url = await server.createDatabase()
    gateways = await Promise.all(Array.from({ length: gatewayCount }, startOne))
  })
  after(async () => {
    await Promise.all(gateways.map((gateway) => gateway.kill()))
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  function startOne(): Promise<GatewayProcess> {
    mkdirSync(join(folder, 'drive'), { recursive: true })
    return startGatewayProcess({
      folder,
      settings: { WORKERS: '1', LOG_LEVEL: 'warn', DATABASE_URL: url },
    })
  }

  async function put(gateway: GatewayProcess, key: string): Promise<string | undefined> {
    const target = `/${testBucket}/${key}`
    const reply = await signedFetch(gateway, { method: 'PUT', target, body: key })
    const text = await reply.text()
    return reply.status === 200 ? undefined : `${key}: ${reply.status} ${text}`
  }

  /** Sends PUTs through all gateways, `clientsOfEach` at a time through each. Returns what failed. */
  async function putMany(prefix: string, many = requests): Promise<string[]> {
    const failures: string[] = []
    let sent = 0
    const client = async (gateway: GatewayProcess): Promise<void> => {
      while (sent < many) {
        const failure = await put(gateway, `${prefix}-${sent++}`)
        if (failure !== undefined) failures.push(failure)
      }
    }
    const clients = gateways.flatMap((gateway) =>
      Array.from({ length: clientsOfEach }, () => client(gateway)),
    )
    await Promise.all(clients)
    return failures
  }

  it('fails none of 1,200 PUTs', { timeout: 60_000 }, async () => {
    assert.deepEqual(await putMany('first'), [])
  })

  it('fails none while another program takes all that are left', { timeout: 60_000 }, async () => {
    const others = await takeAllConnections(url)
    assert.deepEqual(await putMany('second', 300), [])
    await Promise.all(others.map((client) => client.end()))
  })
})
