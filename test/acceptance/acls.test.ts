import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GatewayInProcess, startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket } from '../support/gateway-process.ts'
import { answer, exchange } from '../support/wire-case.ts'

const bucket = `/${testBucket}`
const object = `${bucket}/k`
const everyone = 'uri="http://acs.amazonaws.com/groups/global/AllUsers"'

function policy(...grants: readonly (readonly [grantee: string, permission: string])[]): string {
  const list = grants.map(
    ([grantee, permission]) =>
      `<Grant><Grantee>${grantee}</Grantee><Permission>${permission}</Permission></Grant>`,
  )
  const acl = `<AccessControlList>${list.join('')}</AccessControlList>`
  return `<AccessControlPolicy><Owner><ID>bucketry</ID></Owner>${acl}</AccessControlPolicy>`
}
const readByAll = ['<URI>http://acs.amazonaws.com/groups/global/AllUsers</URI>', 'READ'] as const
const writeByAll = [readByAll[0], 'WRITE'] as const

const put = (target: string, acl?: string) => ({
  ...{ method: 'PUT', target, ...(acl !== undefined && { headers: { 'x-amz-acl': acl } }) },
})

/** Whether the ACL of the bucket says so, and anyone may read the object. */
async function isOpen(gateway: GatewayInProcess): Promise<boolean> {
  const acl = await exchange(gateway, { method: 'GET', target: `${bucket}?acl` })
  const says = acl.text.includes('AllUsers')
  const { status } = await exchange(gateway, { method: 'GET', target: object, isUnsigned: true })
  assert.equal(status, says ? 200 : 403)
  return says
}

test('ACLS=refuse refuses what grants anything', async (t) => {
  const gateway = await startGatewayInProcess(t)
  await answer(gateway, { title: 'private', ...put(object, 'private'), status: 200 })
  for (const acl of ['public-read', 'public-read-write', 'authenticated-read', 'unknown']) {
    const expected = { status: 501, code: 'NotImplemented', error: { Header: 'x-amz-acl' } }
    await answer(gateway, { title: acl, ...put(object, acl), ...expected })
  }
  const grant = { ...put(object), headers: { 'x-amz-grant-read': everyone } }
  await answer(gateway, { title: 'grant', ...grant, status: 501, code: 'NotImplemented' })
  for (const target of [`${bucket}?acl`, `${object}?acl`]) {
    await answer(gateway, {
      title: target,
      ...put(target, 'private'),
      status: 501,
      code: 'NotImplemented',
    })
  }
})

test('ACLS=ignore accepts every ACL, which opens nothing, and says so once in the log', async (t) => {
  const settings = { COMPATIBILITY: 'aws', ACLS: 'ignore' }
  const gateway = await startGatewayInProcess(t, settings)
  for (const acl of ['private', 'public-read', 'public-read-write', 'authenticated-read']) {
    for (const target of [object, `${bucket}?acl`, `${object}?acl`, '/made']) {
      await answer(gateway, { title: `${target} ${acl}`, ...put(target, acl), status: 200 })
    }
    assert.equal(await isOpen(gateway), false, acl)
  }
  const all = { method: 'PUT', target: `${bucket}?acl`, body: policy(readByAll, writeByAll) }
  await answer(gateway, { title: 'document', ...all, status: 200 })
  assert.equal(await isOpen(gateway), false)
  const told = gateway.lines.filter(({ msg }) => String(msg).includes('ACL that has no effect'))
  assert.equal(told.length, 1)
})

test('an ACL that is not one is refused', async (t) => {
  const gateway = await startGatewayInProcess(t, { ACLS: 'ignore' })
  await answer(gateway, { title: 'object', ...put(object), status: 200 })
  const target = `${bucket}?acl`
  const grant = { 'x-amz-grant-read': everyone }
  const wrong = [
    ['no ACL', put(target), 'MissingSecurityHeader'],
    ['unknown', put(target, 'open'), 'InvalidArgument'],
    ['both', { ...put(target), headers: { ...grant, 'x-amz-acl': 'private' } }, 'InvalidRequest'],
    ['grant', { ...put(target), headers: { 'x-amz-grant-read': 'all' } }, 'InvalidArgument'],
    ['header and document', { ...put(target, 'private'), body: policy() }, 'UnexpectedContent'],
    ['other document', { ...put(target), body: '<Acl/>' }, 'MalformedACLError'],
    ['permission', { ...put(target), body: policy([readByAll[0], 'ALL']) }, 'MalformedACLError'],
    ['grantee', { ...put(target), body: policy(['', 'READ']) }, 'MalformedACLError'],
  ] as const
  for (const [title, request, code] of wrong) {
    await answer(gateway, { title, ...request, status: 400, code })
  }
})

test('ACLS=bucket: PutBucketAcl opens and closes a bucket for reading', async (t) => {
  const settings = { ACLS: 'bucket', BUCKET_CREATION: 'on', ALLOWED_BUCKETS: testBucket }
  const gateway = await startGatewayInProcess(t, settings)
  await answer(gateway, { title: 'object', ...put(object, 'public-read'), status: 200 })
  assert.equal(await isOpen(gateway), false, 'the ACL of an object has no effect')
  const target = `${bucket}?acl`
  const opening = [
    put(target, 'public-read'),
    { ...put(target), headers: { 'x-amz-grant-read': everyone } },
    { ...put(target), body: policy(readByAll) },
  ]
  for (const request of opening) {
    await answer(gateway, { title: 'open', ...request, status: 200 })
    assert.equal(await isOpen(gateway), true)
    for (const acl of ['public-read-write', 'authenticated-read']) {
      const expected = { status: 400, code: 'AccessControlListNotSupported' }
      await answer(gateway, { title: acl, ...put(target, acl), ...expected })
    }
    await answer(gateway, { title: 'close', ...put(target, 'private'), status: 200 })
    assert.equal(await isOpen(gateway), false)
  }
  await answer(gateway, { title: 'made', ...put('/made', 'public-read'), status: 200 })
  const list = { method: 'GET', target: '/made', isUnsigned: true, status: 200 }
  await answer(gateway, { title: 'a bucket made public', ...list })
})

test('ACLS=bucket: CreateBucket refuses an ACL before the bucket exists, and sets that of an existing one', async (t) => {
  const settings = { ACLS: 'bucket', BUCKET_CREATION: 'on', ALLOWED_BUCKETS: testBucket }
  const gateway = await startGatewayInProcess(t, settings)
  const refused = { status: 400, code: 'AccessControlListNotSupported' }
  await answer(gateway, { title: 'refused', ...put('/made', 'public-read-write'), ...refused })
  const head = { method: 'HEAD', target: '/made', status: 404 }
  await answer(gateway, { title: 'not made', ...head })
  const unsigned = { method: 'GET', target: '/made', isUnsigned: true }
  for (const [acl, status] of [
    ['public-read', 200],
    ['private', 403],
  ] as const) {
    await answer(gateway, { title: acl, ...put('/made', acl), status: 200 })
    assert.equal((await exchange(gateway, unsigned)).status, status, acl)
  }
  await answer(gateway, { title: 'no ACL', ...put('/made'), status: 200 })
  assert.equal((await exchange(gateway, unsigned)).status, 403)
})

test('ACLS=bucket: only the URI of everyone opens a bucket, and a document has one list', async (t) => {
  const gateway = await startGatewayInProcess(t, { ACLS: 'bucket', BUCKET_CREATION: 'on' })
  const target = `${bucket}?acl`
  const asId = { 'x-amz-grant-read': everyone.replace('uri', 'id') }
  const refused = { status: 400, code: 'AccessControlListNotSupported' }
  await answer(gateway, { title: 'id', ...put(target), headers: asId, ...refused })
  const two = policy(readByAll).replace(
    '<AccessControlList>',
    '<AccessControlList/><AccessControlList>',
  )
  const malformed = { status: 400, code: 'MalformedACLError' }
  await answer(gateway, { title: 'two lists', ...put(target), body: two, ...malformed })
})

test('ACLS=bucket cannot close a bucket of PUBLIC_READ_BUCKETS', async (t) => {
  const settings = { ACLS: 'bucket', BUCKET_CREATION: 'on', PUBLIC_READ_BUCKETS: testBucket }
  const gateway = await startGatewayInProcess(t, settings)
  const request = put(`${bucket}?acl`, 'private')
  await answer(gateway, { title: 'close', ...request, status: 400, code: 'InvalidRequest' })
})
