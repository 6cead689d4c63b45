/** The clock of an S3 store is wrong, or the store stops for a minute. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { textOf } from '../crash/store.ts'
import { type GatewayProcess, startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { md5Of, testBytes } from '../support/test-bytes.ts'
import { isFull } from '../support/test-groups.ts'
import { absenceOfWrongClock, wrongClock } from '../support/wrong-clock.ts'

const partBytes = 5_300_000

/** A gateway over a store, which is one too. */
async function startOverStore(t: TestContext, storeSettings: Readonly<Record<string, string>>) {
  const start = async (name: string, settings: Readonly<Record<string, string>>) => {
    const folder = mkdtempSync(join(tmpdir(), `bucketry-${name}-`))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const server = await startGatewayProcess({ folder, settings })
    t.after(() => server.kill())
    return server
  }
  const store = await start('store', { COMPATIBILITY: 'aws', ...storeSettings })
  const gateway = await start('over-store', {
    DRIVE: `s3+${store.url}/${testBucket}`,
    S3_DRIVE_ACCESS_KEY: store.credentials.accessKey,
    S3_DRIVE_SECRET_KEY: store.credentials.secretKey,
    LOG_LEVEL: 'warn',
  })
  return { store, gateway }
}

async function answer(
  gateway: GatewayProcess,
  method: string,
  path: string,
  body?: Buffer<ArrayBuffer>,
) {
  const target = `/${testBucket}${path}`
  const reply = await signedFetch(gateway, { method, target, ...(body && { body }) })
  return { status: reply.status, body: Buffer.from(await reply.arrayBuffer()) }
}

async function done(
  gateway: GatewayProcess,
  method: string,
  path: string,
  body?: Buffer<ArrayBuffer>,
) {
  const reply = await answer(gateway, method, path, body)
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.body}`)
  return reply.body
}

async function upload(gateway: GatewayProcess, key: string, parts: readonly Buffer<ArrayBuffer>[]) {
  const created = await done(gateway, 'POST', `/${key}?uploads=`)
  const uploadId = textOf(created.toString(), 'UploadId')
  const list: string[] = []
  for (const [index, part] of parts.entries()) {
    const number = index + 1
    await done(gateway, 'PUT', `/${key}?partNumber=${number}&uploadId=${uploadId}`, part)
    list.push(`<Part><PartNumber>${number}</PartNumber><ETag>${md5Of(part)}</ETag></Part>`)
  }
  const xml = `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`
  await done(gateway, 'POST', `/${key}?uploadId=${uploadId}`, Buffer.from(xml))
}

for (const difference of ['+40m', '-40m']) {
  // S3 refuses signatures that are 15 minutes off.
  test(`A store whose clock is off by ${difference} is served without errors`, {
    skip: absenceOfWrongClock,
  }, async (t) => {
    const { gateway } = await startOverStore(t, wrongClock(difference))
    const [small, large] = [testBytes('small', 1_000), testBytes('large', partBytes)]
    await done(gateway, 'PUT', '/small', small)
    await done(gateway, 'PUT', '/large', large)
    await upload(gateway, 'parts', [large, small])
    assert.ok((await done(gateway, 'GET', '/small')).equals(small))
    assert.ok((await done(gateway, 'GET', '/large')).equals(large))
    assert.ok((await done(gateway, 'GET', '/parts')).equals(Buffer.concat([large, small])))
    await done(gateway, 'DELETE', '/small')
    const listed = (await done(gateway, 'GET', '?list-type=2')).toString()
    assert.deepEqual(listed.match(/<Key>[^<]+/g), ['<Key>large', '<Key>parts'])
  })
}

// It stops longer than the gateway waits for a byte: 60 s.
const stops = isFull ? [5_000, 75_000] : [5_000]
for (const stopMs of stops) {
  test(`Nothing acknowledged is lost while a store stops for ${stopMs / 1_000} s`, async (t) => {
    const { store, gateway } = await startOverStore(t, {})
    const bodyOf = (name: string) => testBytes(name, name.endsWith('large') ? partBytes : 1_000)
    const acknowledged = new Map<string, Buffer>()
    let isOver = false
    const writeOn = async (client: string) => {
      for (let count = 0; !isOver; count += 1) {
        const key = `${client}-${count}-${count % 3 === 0 ? 'large' : 'small'}`
        const { status } = await answer(gateway, 'PUT', `/${key}`, bodyOf(key))
        if (status === 200) acknowledged.set(key, bodyOf(key))
        else assert.ok(status === 503 || status === 500, `${key}: ${status}`)
      }
    }
    const clients = ['a', 'b', 'c', 'd'].map(writeOn)
    await until(() => acknowledged.size >= 12)
    process.kill(-store.pid, 'SIGSTOP')
    await delay(stopMs)
    process.kill(-store.pid, 'SIGCONT')
    await done(gateway, 'PUT', '/after', bodyOf('after'))
    isOver = true
    await Promise.all(clients)
    for (const [key, body] of acknowledged) {
      assert.ok((await done(gateway, 'GET', `/${key}`)).equals(body), key)
    }
    t.diagnostic(`${acknowledged.size} objects`)
  })
}
