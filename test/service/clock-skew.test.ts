import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  type GatewayProcess,
  startGatewayProcess,
  testBucket,
  testCredentials,
} from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { signHeaders } from '../support/signed-request.ts'
import { startPostgres } from '../support/start-postgres.ts'
import { md5Of } from '../support/test-bytes.ts'
import { absenceOfWrongClock, wrongClock } from '../support/wrong-clock.ts'

const skews = ['+60s', '-60s']
const rounds = 25
const bytes = Buffer.alloc(64 * 1024, 'a')
const otherBytes = Buffer.alloc(64 * 1024, 'b')

const postgres = absenceOfWrongClock ? undefined : await startPostgres()
const skip = absenceOfWrongClock || (postgres === undefined && "needs Debian's postgresql")

describe('Gateways whose clocks differ by up to two minutes', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-skew-'))
  let right: GatewayProcess
  let wrong: GatewayProcess[]

  before(async () => {
    mkdirSync(join(folder, 'drive'))
    const url = (await postgres?.createDatabase()) ?? assert.fail()
    const start = (skew: string | undefined) =>
      startGatewayProcess({
        folder,
        settings: {
          ...{ WORKERS: '1', DATABASE_URL: url, PART_WAIT_SECONDS: '1', LOG_LEVEL: 'warn' },
          ...(skew !== undefined && wrongClock(skew)),
        },
      })
    right = await start(undefined)
    wrong = await Promise.all(skews.map(start))
  })
  after(async () => {
    await Promise.all([right, ...(wrong ?? [])].map((gateway) => gateway?.kill()))
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it(`take no living upload of each other in ${rounds} of ${rounds} rounds`, async () => {
    const taken = await Promise.all(Array.from({ length: rounds }, (_, round) => takenIn(round)))
    assert.deepEqual(taken.flat(), [])
  })

  it('say once that their clock differs', async () => {
    await until(() => wrong.every((gateway) => warningsOf(gateway) > 0))
    for (const gateway of wrong) assert.equal(warningsOf(gateway), 1, gateway.logs())
    assert.equal(warningsOf(right), 0, right.logs())
  })

  /** A part that takes long on one gateway, and the same part sent to the others meanwhile. */
  async function takenIn(round: number): Promise<string[]> {
    const [holder, ...others] = round % 2 === 0 ? [right, ...wrong] : [...wrong, right]
    assert.ok(holder)
    const target = `/${testBucket}/upload-${round}`
    const created = await signedFetch(right, { method: 'POST', target: `${target}?uploads=` })
    const [, id] = /<UploadId>([^<]+)</.exec(await created.text()) ?? []
    const part = `${target}?partNumber=1&uploadId=${id}`
    const sending = beginPart(holder, part)
    sending.write(bytes.subarray(0, 100))
    const failures: string[] = []
    await untilBusy(holder, part)
    for (const other of others) {
      const put = { method: 'PUT', target: part, body: otherBytes }
      const reply = await signedFetch(other, put)
      await reply.arrayBuffer()
      if (reply.status !== 503) failures.push(`${part}: ${reply.status} from another gateway`)
    }
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      sending.on('response', resolve).on('error', reject)
    })
    sending.end(bytes.subarray(100))
    const { statusCode, headers } = await answer
    const etag = `"${md5Of(bytes)}"`
    if (statusCode !== 200 || headers.etag !== etag) failures.push(`${part}: ${statusCode}`)
    return failures
  }
})

/** Until the gateway that receives the part refuses another one: it has the upload's lease. */
async function untilBusy(holder: GatewayProcess, target: string): Promise<void> {
  for (;;) {
    const reply = await signedFetch(holder, { method: 'PUT', target, body: '' })
    await reply.arrayBuffer()
    if (reply.status === 503) return
  }
}

function beginPart({ host, port }: GatewayProcess, target: string): ClientRequest {
  const signed = signHeaders({ method: 'PUT', target, host }, testCredentials)
  const headers = { ...signed, 'content-length': String(bytes.length) }
  return httpRequest({
    host: '127.0.0.1',
    port,
    path: target,
    method: 'PUT',
    headers,
    agent: false,
  })
}

function warningsOf(gateway: GatewayProcess): number {
  return gateway.logs().split("clock differs from this machine's").length - 1
}
