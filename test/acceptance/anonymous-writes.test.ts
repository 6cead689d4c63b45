/** Policies that let everyone write, as `mc anonymous set upload` and `public` store them. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { policyOfAccess } from '../../src/storage/s3/configuration/policy-document.ts'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket } from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient } from '../support/management-client.ts'
import type { Server } from '../support/signed-fetch.ts'
import { exchange, type WireCase } from '../support/wire-case.ts'

const bucket = `/${testBucket}`
const mib = 1024 * 1024

/** `METHOD target` → the reply to a request without a signature. */
function unsigned(server: Server, line: string, more: Partial<WireCase> = {}) {
  const [method = '', target = ''] = line.split(' ')
  return exchange(server, { method, target, isUnsigned: true, ...more })
}

async function statusesOf(server: Server, table: Readonly<Record<string, number>>) {
  const actual: Record<string, number> = {}
  for (const line of Object.keys(table)) actual[line] = (await unsigned(server, line)).status
  return actual
}

async function start(t: TestContext, access: 'upload' | 'public') {
  const gateway = await startGatewayInProcess(t, {
    ...{ COMPATIBILITY: 'aws', DASHBOARD_PASSWORD: dashboardPassword },
    ALLOWED_BUCKETS: `${testBucket},other`,
  })
  const put = await exchange(gateway, { method: 'PUT', target: `${bucket}/old`, body: 'old' })
  assert.equal(put.status, 200)
  const body = policyOfAccess(access, testBucket)?.text ?? ''
  const setPolicy = (server: Server = gateway) =>
    exchange(server, { method: 'PUT', target: `${bucket}?policy`, body })
  return { gateway, setPolicy, management: await ManagementClient.signIn(gateway.url) }
}

test('upload: everyone may write and delete, and neither read nor list', async (t) => {
  const { gateway, setPolicy, management } = await start(t, 'upload')
  assert.equal((await unsigned(gateway, `PUT ${bucket}/a`, { body: 'a' })).status, 403)
  assert.equal((await setPolicy()).status, 204)
  const warned = gateway.lines.filter(
    ({ level, msg }) => level === 40 && /everyone write/.test(msg),
  )
  assert.equal(warned.length, 1)
  assert.equal((await unsigned(gateway, `PUT ${bucket}/a`, { body: 'a' })).status, 200)
  const table = {
    ...{ [`GET ${bucket}/a`]: 403, [`HEAD ${bucket}/a`]: 403, [`GET ${bucket}`]: 403 },
    ...{ [`GET ${bucket}?location`]: 200, [`GET ${bucket}?versions`]: 403 },
    ...{ [`DELETE ${bucket}/a?versionId=null`]: 403, [`PUT ${bucket}/a?tagging`]: 403 },
    ...{ [`PUT ${bucket}/a?acl`]: 403, [`POST ${bucket}?delete`]: 403 },
    ...{ [`PUT ${bucket}?policy`]: 403, [`DELETE ${bucket}`]: 403, 'PUT /other/a': 403 },
    ...{ [`DELETE ${bucket}/a`]: 204, [`DELETE ${bucket}/absent`]: 204 },
  }
  assert.deepEqual(await statusesOf(gateway, table), table)
  const read = await exchange(gateway, { method: 'GET', target: `${bucket}/old` })
  assert.equal(read.text, 'old')
  const { buckets } = await management.done('GET', '/buckets')
  const shown = buckets.find(({ name }: { readonly name: string }) => name === testBucket)
  assert.deepEqual(shown.openByPolicy, ['delete *', 'write and overwrite *'])
})

test('public: everyone may also read and list', async (t) => {
  const { gateway, setPolicy } = await start(t, 'public')
  await setPolicy()
  assert.equal((await unsigned(gateway, `PUT ${bucket}/a`, { body: 'a' })).status, 200)
  const table = { [`GET ${bucket}/a`]: 200, [`GET ${bucket}?list-type=2`]: 200 }
  assert.deepEqual(await statusesOf(gateway, table), table)
  await exchange(gateway, { method: 'DELETE', target: `${bucket}?policy` })
  assert.equal((await unsigned(gateway, `PUT ${bucket}/a`, { body: 'b' })).status, 403)
})

test('everyone may upload in parts, and finds no uploads of others', async (t) => {
  const { gateway, setPolicy } = await start(t, 'upload')
  await setPolicy()
  const begun = await unsigned(gateway, `POST ${bucket}/big?uploads`)
  const uploadId = /<UploadId>([^<]+)/.exec(begun.text)?.[1] ?? ''
  const part = await unsigned(gateway, `PUT ${bucket}/big?partNumber=1&uploadId=${uploadId}`, {
    body: 'x'.repeat(mib),
  })
  assert.equal(part.status, 200)
  const parts = await unsigned(gateway, `GET ${bucket}/big?uploadId=${uploadId}`)
  assert.match(parts.text, /<PartNumber>1</)
  const listed = await unsigned(gateway, `GET ${bucket}?uploads`)
  assert.equal(listed.status, 200)
  assert.doesNotMatch(listed.text, new RegExp(uploadId))
  const done = await unsigned(gateway, `POST ${bucket}/big?uploadId=${uploadId}`, {
    body: `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${part.headers.get('etag')}</ETag></Part></CompleteMultipartUpload>`,
  })
  assert.equal(done.status, 200, done.text)
  const other = await unsigned(gateway, `POST ${bucket}/other?uploads`)
  const otherId = /<UploadId>([^<]+)/.exec(other.text)?.[1] ?? ''
  assert.equal((await unsigned(gateway, `DELETE ${bucket}/other?uploadId=${otherId}`)).status, 204)
})

test('everyone gets no more than the actions: no tags, locks, copies, and no test of an ETag', async (t) => {
  const { gateway, setPolicy } = await start(t, 'upload')
  await setPolicy()
  const until = '2099-01-01T00:00:00Z'
  for (const headers of [
    { 'x-amz-tagging': 'a=b' },
    { 'x-amz-object-lock-legal-hold': 'ON' },
    { 'x-amz-object-lock-mode': 'COMPLIANCE', 'x-amz-object-lock-retain-until-date': until },
    { 'if-match': '"149603e6c03516362a8da23f624db945"' },
    { 'x-amz-copy-source': `${bucket}/old` },
  ]) {
    for (const line of [`PUT ${bucket}/old`, `POST ${bucket}/old?uploads`]) {
      const isCopy = 'x-amz-copy-source' in headers && line.startsWith('POST')
      if (isCopy) continue
      const { status, text } = await unsigned(gateway, line, { headers })
      assert.deepEqual([status, /AccessDenied/.test(text)], [403, true], Object.keys(headers)[0])
    }
  }
  const read = await exchange(gateway, { method: 'GET', target: `${bucket}/old` })
  assert.equal(read.text, 'old')
})

test('the quota of the bucket holds for everyone', async (t) => {
  const { gateway, setPolicy, management } = await start(t, 'upload')
  await setPolicy()
  await management.done('PATCH', `/buckets/${testBucket}`, { quotaBytes: mib })
  const body = 'x'.repeat(2 * mib)
  const { status, text } = await unsigned(gateway, `PUT ${bucket}/a`, { body })
  assert.deepEqual([status, /QuotaExceeded/.test(text)], [403, true], text)
})

test('a key gives away no right that it does not have', async (t) => {
  const { gateway, setPolicy, management } = await start(t, 'upload')
  const keyWith = async (name: string, actions: readonly string[], limits = {}) => {
    const grants = [{ bucket: testBucket, prefix: '', actions }]
    const made = await management.done('POST', '/keys', { name, grants, limits })
    const { region } = gateway.credentials
    const credentials = { accessKey: made.key.accessKeyId, secretKey: made.secretKey, region }
    return { ...gateway, credentials }
  }
  const reader = await keyWith('reader', ['manage', 'read', 'list', 'write'])
  const refused = await setPolicy(reader)
  assert.deepEqual([refused.status, /s3:DeleteObject/.test(refused.text)], [403, true])
  assert.equal((await unsigned(gateway, `PUT ${bucket}/a`)).status, 403)
  const all = ['manage', 'write', 'delete']
  const beyond = await setPolicy(await keyWith('limited', all, { bytes: mib }))
  assert.deepEqual([beyond.status, /storage limit/.test(beyond.text)], [403, true])
  assert.equal((await setPolicy(await keyWith('all', all))).status, 204)
})
