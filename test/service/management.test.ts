import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { useContractGateway } from '../support/contract-gateway.ts'
import { freshRequest, freshRequests } from '../support/fresh-request.ts'
import { type GatewayProcess, testBucket } from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient, until } from '../support/management-client.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { signHeaders } from '../support/signed-request.ts'

/** Puts files into a folder of the bucket by hand. */
function fill({ driveFolder }: GatewayProcess, folder: string, count: number): string {
  const path = join(driveFolder, testBucket, folder)
  mkdirSync(path, { recursive: true })
  for (let index = 0; index < count; index++) writeFileSync(join(path, `${index}`), 'x')
  return path
}

/** Process ids (Linux). */
function workersOf({ pid }: GatewayProcess): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
  return children.trim().split(' ').filter(Boolean).map(Number)
}

/** How many files a deletion has that is cancelled. */
const [leastDeleted, mostDeleted] = [10_000, 160_000]

/** So many requests of their own connections reach both workers. */
const everywhere = 4

const deletionOf = (folder: string) => ({
  ...{ action: 'delete', bucket: testBucket, paths: [folder] },
})

describe('Management over several workers', () => {
  const gateway = useContractGateway({ DASHBOARD_PASSWORD: dashboardPassword })
  const signIn = () => ManagementClient.signIn(gateway().url)

  test('A deletion of one worker is seen by all, to its end', async () => {
    const client = await signIn()
    const path = fill(gateway(), 'seen', 300)
    const { id } = await client.done('POST', '/file-jobs', deletionOf('seen/'))
    await until(async () => {
      const states = []
      for (let turn = 0; turn < everywhere; turn++) {
        states.push((await client.done('GET', `/file-jobs/${id}`)).state)
      }
      return states.every((state) => state === 'done')
    })
    const { done } = await client.done('GET', `/file-jobs/${id}`)
    assert.equal(done, 300)
    assert.equal(existsSync(path), false)
  })

  test('Any worker stops the deletion of another', async () => {
    const client = await signIn()
    const cancelOne = async (folder: string, count: number): Promise<void> => {
      const path = fill(gateway(), folder, count)
      const { id } = await client.done('POST', '/file-jobs', deletionOf(`${folder}/`))
      // The next connection is the other worker's.
      await client.done('DELETE', `/file-jobs/${id}`)
      await until(async () => (await client.done('GET', `/file-jobs/${id}`)).state !== 'running')
      const { state, done } = await client.done('GET', `/file-jobs/${id}`)
      // More, if a quick machine has deleted all of them before.
      if (state === 'done' && count < mostDeleted) return await cancelOne(`${folder}-`, 4 * count)
      assert.equal(state, 'cancelled')
      assert.equal(readdirSync(path).length, count - done)
    }
    for (const folder of ['many', 'more']) await cancelOne(folder, leastDeleted)
  })

  test('The deletion of a worker that died is continued by another one', async () => {
    const client = await signIn()
    fill(gateway(), 'dying', 6_000)
    const { id } = await client.done('POST', '/file-jobs', deletionOf('dying/'))
    const workers = workersOf(gateway())
    assert.equal(workers.length, 2)
    for (const pid of workers) process.kill(pid, 'SIGKILL')
    await until(() => workersOf(gateway()).filter((pid) => !workers.includes(pid)).length === 2)
    await until(async () => {
      const reply = await client.send('GET', `/file-jobs/${id}`).catch(() => undefined)
      return reply?.body?.state === 'done'
    })
    const listing = `/${testBucket}?list-type=2&prefix=dying%2F`
    const listed = await signedFetch(gateway(), { method: 'GET', target: listing })
    assert.match(await listed.text(), /<KeyCount>0<\/KeyCount>/)
  })

  test('Failed requests of all workers are in one list', async () => {
    const client = await signIn()
    const refused = await freshRequests(everywhere, `${gateway().url}/${testBucket}/private`)
    const ids = refused.map(({ headers }) => headers['x-amz-request-id'])
    await until(async () => {
      const { failures } = await client.done('GET', '/failures')
      const known = failures.map(({ requestId }: { requestId: string }) => requestId)
      return ids.every((id) => known.includes(id))
    })
    const { failures } = await client.done('GET', '/failures')
    const { at: _, ...failure } = failures.find(
      ({ requestId }: { requestId: string }) => requestId === ids[0],
    )
    assert.deepEqual(failure, {
      ...{ requestId: ids[0], method: 'GET', bucket: testBucket, key: 'private' },
      ...{ operation: 'GetObject', status: 403, code: 'AccessDenied' },
      ...{ reason: 'Access Denied: this request must be signed (AWS4-HMAC-SHA256).' },
      remoteAddress: '127.0.0.1',
    })
  })

  test('A client that puts the bucket into the host name gets its own error, signed or not', async () => {
    const client = await signIn()
    const host = `${testBucket}.${gateway().host}`
    const target = '/holiday/sea.jpg'
    const signature = signHeaders({ method: 'GET', target, host }, gateway().credentials)
    for (const headers of [{ ...signature, host }, { host }]) {
      const reply = await freshRequest(`${gateway().url}${target}`, { headers })
      assert.equal(reply.status, 403)
      const id = reply.headers['x-amz-request-id']
      await until(async () => (await client.send('GET', '/failures')).text.includes(String(id)))
      const { failures } = await client.done('GET', '/failures')
      const found = failures.find(({ requestId }: { requestId: string }) => requestId === id)
      assert.match(found.reason, /path-style/)
    }
  })

  test('Clearing the failed requests clears those of all workers', async () => {
    const client = await signIn()
    await freshRequests(everywhere, `${gateway().url}/${testBucket}/private`)
    assert.equal((await client.send('DELETE', '/failures')).status, 204)
    for (const { body } of await Promise.all(
      Array.from({ length: 8 }, () => client.send('GET', '/failures')),
    )) {
      assert.deepEqual(body.failures, [])
    }
  })

  test('A wrong secret is reported without any part of the signature', async () => {
    const client = await signIn()
    const credentials = { ...gateway().credentials, secretKey: 'not-the-secret-key' }
    const target = `/${testBucket}/signed?response-content-type=text%2Fsecret`
    const reply = await signedFetch({ ...gateway(), credentials }, { method: 'GET', target })
    assert.equal(reply.status, 403)
    const id = reply.headers.get('x-amz-request-id')
    await until(async () => (await client.send('GET', '/failures')).text.includes(String(id)))
    const { text, body } = await client.send('GET', '/failures')
    const failure = body.failures.find(({ requestId }: { requestId: string }) => requestId === id)
    assert.match(failure.reason, /not SECRET_KEY/)
    assert.equal(failure.key, 'signed')
    for (const secret of ['not-the-secret-key', 'Signature=', 'response-content-type']) {
      assert.equal(text.includes(secret), false, secret)
    }
  })

  test('Buckets are counted once for all workers', async () => {
    const client = await signIn()
    fill(gateway(), 'counted', 50)
    await client.done('POST', `/buckets/${testBucket}/count`)
    const figures = async () => {
      const { buckets } = await client.done('GET', '/buckets')
      return buckets.find(({ name }: { name: string }) => name === testBucket)
    }
    await until(async () => {
      const seen: Awaited<ReturnType<typeof figures>>[] = []
      for (let turn = 0; turn < everywhere; turn++) seen.push(await figures())
      return seen.every(
        ({ isCounting, countedAt }) => !isCounting && countedAt === seen[0]?.countedAt,
      )
    })
    const { objects, bytes, countedAt } = await figures()
    assert.ok(objects >= 50 && bytes >= 50)
    assert.equal((await figures()).countedAt, countedAt)
  })

  test('Open uploads are listed and aborted from anywhere', async () => {
    const client = await signIn()
    const target = `/${testBucket}/large%20one`
    const create = { method: 'POST', target: `${target}?uploads` }
    const begun = await signedFetch(gateway(), create)
    const uploadId = /<UploadId>(.*?)<\/UploadId>/.exec(await begun.text())?.[1] ?? ''
    const query = `?uploadId=${uploadId}&partNumber=1`
    const part = { method: 'PUT', target: target + query, body: 'some bytes' }
    assert.equal((await signedFetch(gateway(), part)).status, 200)
    const { uploads, next } = await client.done('GET', `/uploads?bucket=${testBucket}`)
    const [{ initiatedAt, lastPartAt, expiresAt, ...upload }] = uploads
    assert.deepEqual(upload, {
      ...{ uploadId, bucket: testBucket, key: 'large one', parts: 1, bytes: 10 },
    })
    assert.equal(next, null)
    assert.ok(initiatedAt <= lastPartAt && lastPartAt < expiresAt)
    assert.equal((await client.send('DELETE', `/uploads/${uploadId}`)).status, 204)
    assert.equal((await client.send('DELETE', `/uploads/${uploadId}`)).status, 404)
    assert.deepEqual((await client.done('GET', '/uploads')).uploads, [])
    assert.equal((await signedFetch(gateway(), part)).status, 404)
  })
})

describe('Management, paged', () => {
  const gateway = useContractGateway({ DASHBOARD_PASSWORD: dashboardPassword })

  test('GET /uploads returns every open upload once, page by page', async () => {
    const client = await ManagementClient.signIn(gateway().url)
    const count = 205
    for (let index = 0; index < count; index++) {
      await signedFetch(gateway(), { method: 'POST', target: `/${testBucket}/k${index}?uploads` })
    }
    const keys: string[] = []
    let path = '/uploads'
    for (let page = 1; page <= 3; page++) {
      const { uploads, next } = await client.done('GET', path)
      keys.push(...uploads.map(({ key }: { key: string }) => key))
      assert.equal(next === null, page === 3)
      path = `/uploads?after=${next}`
    }
    assert.deepEqual(
      keys,
      Array.from({ length: count }, (_, index) => `k${count - 1 - index}`),
    )
  })
})
