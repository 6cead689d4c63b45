import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { testBucket, testCredentials } from '../support/gateway-process.ts'
import { MainProcess } from '../support/main-process.ts'
import { migrateAsNext } from '../support/next-migration.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { startPostgres } from '../support/start-postgres.ts'

const clients = 6
const postgres = await startPostgres()
const skip = postgres === undefined && "needs POSTGRES_URL or Debian's postgresql"

describe('A gateway whose database a newer version has migrated', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-upgrade-'))
  const gateways: MainProcess[] = []
  after(async () => {
    await Promise.all(gateways.map((gateway) => gateway.kill()))
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  async function start(databaseUrl: string): Promise<{ gateway: MainProcess; host: string }> {
    const gateway = new MainProcess(folder, {
      DRIVE: `file:${join(folder, 'drive')}`,
      DATABASE_URL: databaseUrl,
      ACCESS_KEY: testCredentials.accessKey,
      SECRET_KEY: testCredentials.secretKey,
      ALLOWED_BUCKETS: testBucket,
      WORKERS: '2',
    })
    gateways.push(gateway)
    return { gateway, host: new URL(await gateway.url()).host }
  }

  test('serves, also from restarted workers, and so does one that starts now', {
    timeout: 90_000,
  }, async () => {
    const url = (await postgres?.createDatabase()) ?? assert.fail()
    const old = await start(url)
    const failures: string[] = []
    let sent = 0
    /** Sends writes and reads of objects and parts until `until` is settled. */
    const load = async (host: string, until: Promise<unknown>): Promise<void> => {
      let isOver = false
      const over = until.finally(() => {
        isOver = true
      })
      const client = async (): Promise<void> => {
        while (!isOver) failures.push(...(await exchange(host, sent++)))
      }
      await Promise.all([over, ...Array.from({ length: clients }, client)])
    }

    const upgrade = async (): Promise<void> => {
      await wait(500)
      await migrateAsNext(url)
      await wait(500)
    }
    await load(old.host, upgrade())
    await restartWorkers(old.gateway, old.host)
    await load(old.host, wait(500))
    const other = await start(url)
    await Promise.all([load(old.host, wait(1_000)), load(other.host, wait(1_000))])
    assert.deepEqual(failures, [])
    assert.ok(sent >= 4 * clients, `${sent} exchanges`)
  })
})

/** Kills the workers one after the other, and waits until the new ones have served. */
async function restartWorkers(gateway: MainProcess, host: string): Promise<void> {
  const before = gateway.workers()
  assert.equal(before.length, 2)
  for (const pid of before) {
    process.kill(pid, 'SIGKILL')
    const haveServed = () => {
      const now = gateway.workers()
      const serving = new Set(gateway.lines.map((line) => line.pid))
      return now.length === 2 && !now.includes(pid) && now.every((worker) => serving.has(worker))
    }
    while (!haveServed()) {
      await askOnce(host)
      await wait(20)
    }
  }
}

/** On a new connection, so that any worker may get it. Fails if that has just been killed. */
async function askOnce(host: string): Promise<void> {
  const request = get(`http://${host}/${testBucket}/object-0`, { agent: false })
  await once(request, 'response').catch(() => undefined)
  request.destroy()
}

/** Returns what failed. */
async function exchange(host: string, number: number): Promise<string[]> {
  const server = { host, credentials: testCredentials }
  const failures: string[] = []
  const send = async (method: string, target: string, body?: string): Promise<string> => {
    const reply = await signedFetch(server, { method, target, ...(body !== undefined && { body }) })
    const text = await reply.text()
    if (reply.status !== 200) failures.push(`${method} ${target}: ${reply.status} ${text}`)
    return text
  }
  const target = `/${testBucket}/object-${number}`
  await send('PUT', target, 'bytes')
  await send('GET', target)
  const parts = `/${testBucket}/upload-${number}`
  const [, id] = /<UploadId>(.+)<\/UploadId>/.exec(await send('POST', `${parts}?uploads=`)) ?? []
  await send('PUT', `${parts}?partNumber=1&uploadId=${id}`, 'bytes')
  await send('GET', `${parts}?uploadId=${id}`)
  return failures
}
