/** Buckets made at run time, by gateways that share a database and a drive. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type GatewayProcess,
  type GatewayProcessOptions,
  startGatewayProcess,
} from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { runVerify } from '../support/run-verify.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { startPostgres } from '../support/start-postgres.ts'

const rounds = 12

async function send(gateway: GatewayProcess, method: string, target: string, body?: string) {
  const reply = await signedFetch(gateway, { method, target, ...(body !== undefined && { body }) })
  const text = await reply.text()
  return { status: reply.status, text, code: /<Code>(\w+)</.exec(text)?.[1] }
}

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-made-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function start(
  t: TestContext,
  folder: string,
  settings: GatewayProcessOptions['settings'] = {},
): Promise<GatewayProcess> {
  const given = { BUCKET_CREATION: 'on', WORKERS: '2', ...settings }
  const gateway = await startGatewayProcess({ folder, settings: given })
  t.after(() => gateway.kill())
  return gateway
}

/** Asks until every worker must have been asked, each time on a new connection. */
async function everywhere(gateway: GatewayProcess, target: string, status: number) {
  await until(async () => {
    for (let count = 0; count < 8; count += 1) {
      if ((await send(gateway, 'HEAD', target)).status !== status) return false
    }
    return true
  })
}

async function shareBuckets(t: TestContext, settings: Readonly<Record<string, string>>) {
  const folder = folderOf(t)
  const one = await start(t, folder, settings)
  const two = await start(t, folder, settings)
  // Who does not know the bucket yet looks again before it refuses: no delay at all.
  for (let round = 0; round < 5; round++) {
    assert.equal((await send(one, 'PUT', `/made-${round}`)).status, 200)
    assert.equal((await send(two, 'PUT', `/made-${round}/key`, 'x')).status, 200)
  }
  assert.equal((await send(two, 'DELETE', '/made-0')).code, 'BucketNotEmpty')
  assert.equal((await send(two, 'DELETE', '/made-0/key')).status, 204)
  assert.equal((await send(two, 'DELETE', '/made-0')).status, 204)
  await everywhere(one, '/made-0', 404)
  assert.ok(!existsSync(join(one.driveFolder, 'made-0')))
  // Both create the same ones: in us-east-1 both succeed, and there is one bucket.
  const both = await Promise.all([one, two, one, two].map((each) => send(each, 'PUT', '/both')))
  assert.deepEqual(
    both.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  await everywhere(one, '/both', 200)
  await everywhere(two, '/both', 200)
}

test('two gateways on SQLite serve what either creates', async (t) => {
  await shareBuckets(t, {})
})

test('two gateways on PostgreSQL serve what either creates', async (t) => {
  const postgres = await startPostgres()
  if (postgres === undefined) {
    t.skip('needs PostgreSQL')
    return
  }
  t.after(() => postgres.stop())
  await shareBuckets(t, { DATABASE_URL: await postgres.createDatabase() })
})

test('DeleteBucket never removes an acknowledged object', async (t) => {
  const folder = folderOf(t)
  const [one, two] = [await start(t, folder), await start(t, folder)]
  const counts = { kept: 0, removed: 0 }
  for (let round = 0; round < rounds; round++) {
    const bucket = `/race-${round}`
    assert.equal((await send(one, 'PUT', bucket)).status, 200)
    const [removed, ...puts] = await Promise.all([
      delay(round % 4).then(() => send(two, 'DELETE', bucket)),
      ...['a', 'b/c', 'd'].map((key) => send(one, 'PUT', `${bucket}/${key}`, key)),
    ])
    const written = ['a', 'b/c', 'd'].filter((_, index) => puts[index]?.status === 200)
    if (removed?.status === 204) {
      counts.removed += 1
      assert.deepEqual(written, [], bucket)
      for (const { status, code } of puts) assert.deepEqual([status, code], [404, 'NoSuchBucket'])
      await everywhere(one, bucket, 404)
    } else {
      counts.kept += 1
      for (const key of written) {
        const reply = await send(one, 'GET', `${bucket}/${key}`)
        assert.deepEqual([reply.status, reply.text], [200, key], bucket)
      }
    }
  }
  t.diagnostic(JSON.stringify(counts))
})

test('DeleteBucket of a bucket whose folder was removed by hand: no later PUT is acknowledged', async (t) => {
  const gateway = await start(t, folderOf(t))
  for (let round = 0; round < rounds; round++) {
    const bucket = `/gone-${round}`
    assert.equal((await send(gateway, 'PUT', bucket)).status, 200)
    await everywhere(gateway, bucket, 200)
    rmSync(join(gateway.driveFolder, bucket), { recursive: true })
    const [removed, ...puts] = await Promise.all([
      send(gateway, 'DELETE', bucket),
      ...['a', 'b', 'c', 'd'].map((key) => send(gateway, 'PUT', `${bucket}/${key}`, key)),
    ])
    const later = await send(gateway, 'PUT', `${bucket}/later`, 'x')
    // A PUT that was faster has created the folder again, and keeps the bucket.
    const isKept = removed?.status === 409
    const expected = isKept ? [200, undefined] : [404, 'NoSuchBucket']
    for (const { status, code } of [...puts, later]) {
      assert.deepEqual([status, code], expected, `${bucket} ${removed?.status}`)
    }
    if (isKept) continue
    assert.equal((await send(gateway, 'PUT', bucket)).status, 200, 'the name is free')
  }
  assert.match(gateway.logs(), /"level":30,.*"operation":"PutObject"/)
  assert.doesNotMatch(gateway.logs(), /"level":[56]0,/)
})

/** Of the test below: a bucket that it also removes. */
function isOdd(bucket: string): boolean {
  return /-\d*[13579]$/.test(bucket)
}

test('killed while it creates and removes buckets: each is complete or does not exist', async (t) => {
  const folder = folderOf(t)
  for (let round = 0; round < 4; round++) {
    const gateway = await start(t, folder)
    const acknowledged = new Set<string>()
    const removed = new Set<string>()
    let isKilled = false
    const worker = async (name: string) => {
      for (let index = 0; !isKilled; index++) {
        const bucket = `/r${round}-${name}-${index}`
        if ((await send(gateway, 'PUT', bucket)).status === 200) acknowledged.add(bucket)
        if (index % 2 === 0) continue
        if ((await send(gateway, 'DELETE', bucket)).status === 204) removed.add(bucket)
      }
    }
    const work = ['a', 'b', 'c'].map((name) => worker(name).catch(() => undefined))
    await until(() => acknowledged.size > 5 + 3 * round)
    isKilled = true
    await gateway.kill()
    await Promise.all(work)
    const again = await start(t, folder)
    const { text } = await send(again, 'GET', '/')
    const listed = [...text.matchAll(/<Name>(r[^<]+)</g)].map(([, name]) => `/${name}`)
    for (const bucket of acknowledged) {
      // One that was being removed may be either.
      const mayBeGone = removed.has(bucket) || isOdd(bucket)
      assert.ok(mayBeGone || listed.includes(bucket), bucket)
      assert.ok(!(removed.has(bucket) && listed.includes(bucket)), bucket)
    }
    for (const bucket of listed) {
      // A removal that was interrupted is finished after the start; until then writes get 503.
      await until(async () => {
        const { status } = await send(again, 'PUT', `${bucket}/key`, 'x')
        return status === 200 || (status === 404 && isOdd(bucket))
      })
    }
    await again.kill()
  }
})

test('the database is lost: every made bucket is served again, and no other folder', async (t) => {
  const folder = folderOf(t)
  const gateway = await start(t, folder)
  for (const bucket of ['/one', '/two']) {
    assert.equal((await send(gateway, 'PUT', bucket)).status, 200)
    assert.equal((await send(gateway, 'PUT', `${bucket}/key`, bucket)).status, 200)
  }
  mkdirSync(join(gateway.driveFolder, 'diary'))
  writeFileSync(join(gateway.driveFolder, 'diary', 'today'), 'private')
  assert.equal((await send(gateway, 'PUT', '/diary')).code, 'BucketAlreadyExists')
  await gateway.kill()
  for (const name of readdirSync(folder)) {
    if (name.startsWith('state.db')) rmSync(join(folder, name))
  }
  // BUCKET_CREATION is about creating: what was created is served.
  const again = await start(t, folder, { BUCKET_CREATION: 'off' })
  for (const bucket of ['/one', '/two']) {
    const reply = await send(again, 'GET', `${bucket}/key`)
    assert.deepEqual([reply.status, reply.text], [200, bucket])
  }
  assert.equal((await send(again, 'GET', '/diary/today')).code, 'AccessDenied')
  const { environment } = again
  assert.equal((await runVerify({ folder, environment }, 'one')).status, 0)
  assert.equal((await runVerify({ folder, environment }, 'diary')).status, 2)
})

test('a removed bucket is gone for a gateway that was suspended meanwhile', async (t) => {
  const folder = folderOf(t)
  const [one, two] = [
    await start(t, folder, { WORKERS: '1' }),
    await start(t, folder, { WORKERS: '1' }),
  ]
  assert.equal((await send(one, 'PUT', '/gone')).status, 200)
  assert.equal((await send(two, 'HEAD', '/gone')).status, 200)
  process.kill(two.pid, 'SIGSTOP')
  assert.equal((await send(one, 'DELETE', '/gone')).status, 204)
  await delay(1_500)
  const asked = send(two, 'HEAD', '/gone')
  process.kill(two.pid, 'SIGCONT')
  assert.equal((await asked).status, 404)
})

test('after DeleteBucket no worker answers as if the drive were away', async (t) => {
  const gateway = await start(t, folderOf(t))
  for (let round = 0; round < 5; round += 1) {
    const bucket = `/gone-at-once-${round}`
    assert.equal((await send(gateway, 'PUT', bucket)).status, 200)
    await everywhere(gateway, bucket, 200)
    assert.equal((await send(gateway, 'DELETE', bucket)).status, 204)
    // Each on a new connection: in turn to both workers.
    for (let count = 0; count < 4; count += 1) {
      const replies = [
        await send(gateway, 'HEAD', bucket),
        await send(gateway, 'HEAD', `${bucket}/key`),
        await send(gateway, 'PUT', `${bucket}/key`, 'x'),
      ]
      assert.deepEqual(
        replies.map(({ status }) => status),
        [404, 404, 404],
      )
    }
  }
})
