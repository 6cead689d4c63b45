import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { testBucket, testCredentials } from '../support/gateway-process.ts'
import { MainProcess } from '../support/main-process.ts'
import { startStoreProcess } from '../support/s3/store-process.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { startOwnPostgres } from '../support/start-postgres.ts'

test('over an S3 store, objects and listings are served without PostgreSQL, and nothing without the store', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-store-alone-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const postgres = await startOwnPostgres()
  assert.ok(postgres, "needs Debian's postgresql")
  t.after(() => postgres.stop())
  const store = await startStoreProcess('bucketry', { address: '127.0.0.1', folder })
  t.after(() => store.kill())
  const main = new MainProcess(folder, {
    DRIVE: `s3+${store.url}`,
    S3_DRIVE_ACCESS_KEY: store.accessKey,
    S3_DRIVE_SECRET_KEY: store.secretKey,
    ACCESS_KEY: testCredentials.accessKey,
    SECRET_KEY: testCredentials.secretKey,
    ALLOWED_BUCKETS: testBucket,
    DATABASE_URL: await postgres.createDatabase(),
    HOST: '127.0.0.1',
    WORKERS: '1',
  })
  t.after(() => main.kill())
  const url = await main.url()
  const server = { host: new URL(url).host, credentials: testCredentials }
  const statusOf = async (method: string, path: string, body?: string) => {
    const request = { method, target: `/${testBucket}${path}`, ...(body && { body }) }
    const reply = await signedFetch(server, request)
    await reply.arrayBuffer()
    return reply.status
  }
  const ready = async (access: string) => (await fetch(`${url}/-/readyz/${access}`)).status
  const objects = async () => [
    await statusOf('PUT', '/key', 'bytes'),
    await statusOf('GET', '/key'),
    await statusOf('GET', '?list-type=2'),
    await statusOf('DELETE', '/key'),
    await statusOf('GET', '/key'),
  ]
  await postgres.goAway()
  assert.deepEqual(await objects(), [200, 200, 200, 204, 404])
  assert.equal(await statusOf('POST', '/key?uploads='), 503)
  assert.deepEqual([await ready('reads'), await ready('writes')], [200, 503])
  await postgres.comeBack()
  await store.kill()
  assert.deepEqual(await objects(), [503, 503, 503, 503, 503])
})
