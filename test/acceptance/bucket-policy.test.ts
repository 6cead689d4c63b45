/** Bucket policies through a whole gateway: what they open, and what stays closed. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket } from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient } from '../support/management-client.ts'
import type { Server } from '../support/signed-fetch.ts'
import { exchange, type WireCase } from '../support/wire-case.ts'

const bucket = `/${testBucket}`
const arn = `arn:aws:s3:::${testBucket}`
const settings = {
  ...{ COMPATIBILITY: 'aws', BUCKET_CREATION: 'on', DASHBOARD_PASSWORD: dashboardPassword },
  ALLOWED_BUCKETS: `${testBucket},other`,
}

const allow = (Action: unknown, Resource: unknown, others: object = {}) => ({
  ...{ Effect: 'Allow', Principal: '*', Action, Resource, ...others },
})
const policyOf = (...Statement: object[]) => JSON.stringify({ Version: '2012-10-17', Statement })
const whole = policyOf(allow('s3:GetObject', `${arn}/*`), allow('s3:ListBucket', arn))
const ofPrefix = policyOf(
  allow('s3:GetObject', `${arn}/open/*`),
  allow('s3:ListBucket', arn, { Condition: { StringEquals: { 's3:prefix': 'open/' } } }),
)

/** `METHOD target` → status. */
async function statusOf(server: Server, line: string, more: Partial<WireCase> = {}) {
  const [method = '', target = ''] = line.split(' ')
  return (await exchange(server, { method, target, ...more })).status
}
const unsigned = { isUnsigned: true }

async function assertStatuses(
  server: Server,
  table: Readonly<Record<string, number>>,
  more: Partial<WireCase> = {},
) {
  const actual: Record<string, number> = {}
  for (const line of Object.keys(table)) actual[line] = await statusOf(server, line, more)
  assert.deepEqual(actual, table)
}

async function start(t: TestContext, more: Readonly<Record<string, string>> = {}) {
  const gateway = await startGatewayInProcess(t, { ...settings, ...more })
  const management = await ManagementClient.signIn(gateway.url)
  const tagging = more.COMPATIBILITY === 'contract' ? {} : { 'x-amz-tagging': 'secret=1' }
  for (const key of ['open/a', 'closed']) {
    const put = { body: key, headers: tagging }
    assert.equal(await statusOf(gateway, `PUT ${bucket}/${key}`, put), 200)
  }
  return {
    ...{ gateway, management },
    put: (body: string, name = 'policy') =>
      exchange(gateway, { method: 'PUT', target: `${bucket}?${name}`, body }),
    async stranger() {
      const grants = [{ bucket: 'other', prefix: '', actions: ['read', 'write', 'list'] }]
      const made = await management.done('POST', '/keys', { name: 'app', grants })
      const { region } = gateway.credentials
      const credentials = { accessKey: made.key.accessKeyId, secretKey: made.secretKey, region }
      return { ...gateway, credentials }
    },
  }
}

const block = (...names: string[]) =>
  `<PublicAccessBlockConfiguration>${names.map((name) => `<${name}>true</${name}>`).join('')}</PublicAccessBlockConfiguration>`

/** No policy here opens any of these. */
const closedToAll: Readonly<Record<string, number>> = {
  ...{ [`GET ${bucket}/open/a?tagging`]: 403, [`GET ${bucket}/open/a?acl`]: 403 },
  ...{ [`GET ${bucket}/open/a?attributes`]: 403, [`GET ${bucket}/open/a?uploadId=u`]: 403 },
  ...{ [`GET ${bucket}/open/a?versionId=null`]: 403, [`PUT ${bucket}/open/a`]: 403 },
  ...{ [`DELETE ${bucket}/open/a`]: 403, [`POST ${bucket}/open/a?uploads`]: 403 },
  ...{ [`PUT ${bucket}/open/a?tagging`]: 403, [`DELETE ${bucket}/open/a?tagging`]: 403 },
  ...{ [`GET ${bucket}?uploads&prefix=open/`]: 403, [`GET ${bucket}?versions&prefix=open/`]: 403 },
  ...{ [`GET ${bucket}?policy`]: 403, [`GET ${bucket}?policyStatus`]: 403 },
  ...{ [`GET ${bucket}?acl`]: 403, [`GET ${bucket}?tagging`]: 403, [`GET ${bucket}?cors`]: 403 },
  ...{ [`GET ${bucket}?publicAccessBlock`]: 403, [`GET ${bucket}?location`]: 403 },
  ...{ [`PUT ${bucket}?policy`]: 403, [`DELETE ${bucket}?policy`]: 403 },
  ...{ [`POST ${bucket}?delete`]: 403, [`DELETE ${bucket}`]: 403, 'GET /other': 403 },
}

test('a policy opens what it says to everyone, and nothing else', async (t) => {
  const { gateway, put, stranger } = await start(t)
  const other = await stranger()
  const reads = (whole: number, list: number, prefix: number) => ({
    ...{ [`GET ${bucket}/open/a`]: prefix, [`HEAD ${bucket}/open/a`]: prefix },
    ...{ [`GET ${bucket}/closed`]: whole, [`HEAD ${bucket}/closed`]: whole },
    ...{ [`GET ${bucket}/open%252Fa`]: whole === 200 ? 404 : 403 },
    ...{ [`GET ${bucket}`]: list, [`HEAD ${bucket}`]: list, [`GET ${bucket}?list-type=2`]: list },
    ...{ [`GET ${bucket}?prefix=open/`]: prefix, [`GET ${bucket}?prefix=`]: list },
    ...{ [`GET ${bucket}?prefix=open`]: list, [`GET ${bucket}?prefix=open%252F`]: list },
    ...{ [`GET ${bucket}?prefix=open/&prefix=a`]: list },
  })
  const check = async (expected: Readonly<Record<string, number>>) => {
    await assertStatuses(gateway, { ...expected, ...closedToAll }, unsigned)
    const { 'GET /other': _, ...closed } = closedToAll
    await assertStatuses(other, { ...expected, ...closed })
  }
  await check(reads(403, 403, 403))
  assert.equal((await put(whole)).status, 204)
  await check(reads(200, 200, 200))
  assert.equal((await put(ofPrefix)).status, 204)
  await check(reads(403, 403, 200))
  assert.equal(
    (await exchange(gateway, { method: 'GET', target: `${bucket}?policy` })).text,
    ofPrefix,
  )
  const refused = await put(policyOf(allow('s3:GetObject', `${arn}/*`), allow('s3:*', arn)))
  assert.deepEqual([refused.status, /Statement 2/.test(refused.text)], [400, true])
  await check(reads(403, 403, 200))
  await statusOf(gateway, `DELETE ${bucket}?policy`)
  await check(reads(403, 403, 403))
})

test('a copy from an opened object takes no tags that its client may not read', async (t) => {
  const { put, stranger } = await start(t)
  const other = await stranger()
  const copy = (key: string, headers = {}) =>
    statusOf(other, 'PUT /other/copy', {
      headers: { 'x-amz-copy-source': `${bucket}/${key}`, ...headers },
    })
  const replaced = { 'x-amz-tagging-directive': 'REPLACE' }
  assert.equal(await copy('open/a', replaced), 403)
  await put(ofPrefix)
  assert.equal(await copy('open/a'), 403)
  assert.equal(await copy('open/a?versionId=null', replaced), 403)
  assert.equal(await copy('closed', replaced), 403)
  assert.equal(await copy('open/a', replaced), 200)
})

test('a policy and the switch of the dashboard are one state', async (t) => {
  const { gateway, management, put } = await start(t)
  const isOpen = async () => (await statusOf(gateway, `GET ${bucket}/closed`, unsigned)) === 200
  const turn = (isPublic: boolean) =>
    management.done('PATCH', `/buckets/${testBucket}`, { isPublic })
  await put(whole)
  await turn(false)
  assert.deepEqual([await isOpen(), await statusOf(gateway, `GET ${bucket}?policy`)], [false, 404])
  await turn(true)
  assert.deepEqual([await isOpen(), await statusOf(gateway, `GET ${bucket}?policy`)], [true, 200])
  await put(ofPrefix)
  assert.equal(await isOpen(), false)
  await turn(true)
  await statusOf(gateway, `DELETE ${bucket}?policy`)
  assert.equal(await isOpen(), false)
})

test('each field of a PublicAccessBlock has its effect', async (t) => {
  const { gateway, management, put } = await start(t, { ACLS: 'bucket' })
  const isOpen = async () => (await statusOf(gateway, `GET ${bucket}/closed`, unsigned)) === 200
  const acl = (name: string) =>
    statusOf(gateway, `PUT ${bucket}?acl`, { headers: { 'x-amz-acl': name } })
  const turnOn = () => management.done('PATCH', `/buckets/${testBucket}`, { isPublic: true })

  await put(block('BlockPublicPolicy'), 'publicAccessBlock')
  assert.equal((await put(whole)).status, 403)
  assert.equal((await put(policyOf())).status, 204)
  await put(block('RestrictPublicBuckets'), 'publicAccessBlock')
  assert.deepEqual([(await put(whole)).status, await isOpen()], [204, false])
  assert.equal(await acl('public-read'), 403)
  await put(block('BlockPublicAcls'), 'publicAccessBlock')
  assert.deepEqual([await acl('public-read'), await acl('private')], [403, 200])
  assert.equal(await isOpen(), true, 'the policy')
  for (const name of ['IgnorePublicAcls', 'RestrictPublicBuckets']) {
    await turnOn()
    assert.equal(await isOpen(), true)
    await put(block(name), 'publicAccessBlock')
    assert.equal(await isOpen(), false, name)
    assert.equal(await statusOf(gateway, `GET ${bucket}?policyStatus`), 404, name)
  }
})

test('a policy is returned as it was put, also when an ACL opens more', async (t) => {
  const { gateway, put } = await start(t, { ACLS: 'bucket' })
  await put(ofPrefix)
  const headers = { 'x-amz-acl': 'public-read' }
  assert.equal(await statusOf(gateway, `PUT ${bucket}?acl`, { headers }), 200)
  const kept = await exchange(gateway, { method: 'GET', target: `${bucket}?policy` })
  assert.equal(kept.text, ofPrefix)
})

test('PUBLIC_READ_BUCKETS decides alone', async (t) => {
  const { gateway, put } = await start(t, { PUBLIC_READ_BUCKETS: testBucket })
  assert.equal((await put(ofPrefix)).status, 400)
  assert.equal(await statusOf(gateway, `DELETE ${bucket}?policy`), 400)
  for (const name of ['IgnorePublicAcls', 'RestrictPublicBuckets']) {
    assert.equal((await put(block(name), 'publicAccessBlock')).status, 400)
  }
  assert.equal(await statusOf(gateway, `GET ${bucket}/closed`, unsigned), 200)
})

test('with COMPATIBILITY=contract nothing is written, and no kept policy opens anything', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-policy-'))
  const kept = { DATABASE_URL: `sqlite:${join(folder, 'state.db')}` }
  const inAws = await start(t, kept)
  assert.equal((await inAws.put(whole)).status, 204)
  const { gateway, put, stranger } = await start(t, { ...kept, COMPATIBILITY: 'contract' })
  t.after(() => rmSync(folder, { recursive: true }))
  const other = await stranger()
  const table = { [`GET ${bucket}/open/a`]: 403, [`HEAD ${bucket}`]: 403, [`GET ${bucket}`]: 403 }
  await assertStatuses(gateway, table, unsigned)
  await assertStatuses(other, table)
  const copy = { headers: { 'x-amz-copy-source': `${bucket}/open/a` } }
  assert.equal(await statusOf(other, 'PUT /other/copy', copy), 403)
  assert.equal(await statusOf(gateway, `GET ${bucket}?policy`), 404)
  for (const name of ['policy', 'publicAccessBlock', 'ownershipControls', 'tagging']) {
    assert.equal((await put(whole, name)).status, 501, name)
  }
})

test('the number of tags is not shown to who reads only by the policy', async (t) => {
  const { gateway, put } = await start(t)
  assert.equal((await put(whole)).status, 204)
  const count = async (more: Partial<WireCase>) => {
    const reply = await exchange(gateway, { method: 'GET', target: `${bucket}/open/a`, ...more })
    assert.equal(reply.status, 200)
    return reply.headers.get('x-amz-tagging-count')
  }
  assert.equal(await count({}), '1')
  assert.equal(await count(unsigned), null)
})

test('who may not list is not told that an object does not exist', async (t) => {
  const { gateway, put } = await start(t)
  assert.equal((await put(policyOf(allow('s3:GetObject', `${arn}/*`)))).status, 204)
  const absent = { [`GET ${bucket}/absent`]: 403, [`HEAD ${bucket}/absent`]: 403 }
  await assertStatuses(gateway, { ...absent, [`GET ${bucket}/open/a`]: 200 }, unsigned)
  await assertStatuses(gateway, { [`GET ${bucket}/absent`]: 404 })
  assert.equal((await put(whole)).status, 204)
  await assertStatuses(gateway, { [`GET ${bucket}/absent`]: 404 }, unsigned)
})
