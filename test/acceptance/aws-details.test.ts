/** Small answers of AWS that clients' own suites compare. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { beginUpload } from '../support/open-upload.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { assertRefused, RawExchange } from '../support/raw-exchange.ts'
import { answer, exchange } from '../support/wire-case.ts'

const bucket = `/${testBucket}`
const object = `${bucket}/k`
const inAws = { COMPATIBILITY: 'aws' }

test('PutBucketTagging answers 204, as AWS', async (t) => {
  const gateway = await startGatewayInProcess(t, inAws)
  const body = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>'
  const request = { method: 'PUT', target: `${bucket}?tagging`, body, status: 204, text: '' }
  await answer(gateway, { title: 'tags', ...request })
})

test('a copy with a body is refused, and nothing is copied', async (t) => {
  const gateway = await startGatewayInProcess(t, inAws)
  await answer(gateway, { title: '', method: 'PUT', target: object, body: 'source', status: 200 })
  const headers = { 'x-amz-copy-source': object }
  const part = `${bucket}/copy?partNumber=1&uploadId=${await beginUpload(gateway, `${bucket}/copy`)}`
  for (const target of [`${bucket}/copy`, part]) {
    const copy = { title: target, method: 'PUT', target, headers }
    await answer(gateway, { ...copy, body: 'x', status: 400, code: 'UnexpectedContent' })
  }
  const read = { title: '', method: 'GET', target: `${bucket}/copy` }
  await answer(gateway, { ...read, status: 404, code: 'NoSuchKey' })
  for (const target of [part, `${bucket}/copy`]) {
    await answer(gateway, { title: '', method: 'PUT', target, headers, status: 200 })
  }
  await answer(gateway, { ...read, status: 200, text: 'source' })
})

test('a copy with a body of unknown length is refused', async (t) => {
  const gateway = await startGatewayInProcess(t, inAws)
  await answer(gateway, { title: '', method: 'PUT', target: object, body: 'source', status: 200 })
  const raw = new RawExchange(gateway)
  const copy = raw.head('PUT', `${bucket}/copy`, {
    headers: { 'x-amz-copy-source': object },
    unsigned: 'Transfer-Encoding: chunked\r\n',
  })
  assertRefused(await raw.send(`${copy}1\r\nx\r\n0\r\n\r\n`), /UnexpectedContent/)
  assert.match(await raw.send(`${copy}0\r\n\r\n`), /^HTTP\/1.1 200 /)
})

test('a copy whose client leaves before its body is no fault of the service', async (t) => {
  const gateway = await startGatewayInProcess(t, inAws)
  await answer(gateway, { title: '', method: 'PUT', target: object, body: 'source', status: 200 })
  const headers = { 'x-amz-copy-source': object }
  const raw = new RawExchange(gateway)
  const unsigned = 'Content-Length: 5\r\nExpect: 100-continue\r\n'
  const connection = await RawConnection.open(gateway.port)
  connection.write(raw.head('PUT', `${bucket}/copy`, { headers, unsigned }))
  await connection.until('HTTP/1.1 100 Continue')
  connection.destroy()
  await until(() => gateway.lines.some(({ key }) => key === 'copy'))
  assert.deepEqual(
    gateway.lines.filter(({ level }) => Number(level) >= 50),
    [],
  )
})

test('x-amz-max-parts that is no number is ignored', async (t) => {
  const gateway = await startGatewayInProcess(t, inAws)
  await answer(gateway, { title: '', method: 'PUT', target: object, body: 'x', status: 200 })
  const headers = { 'x-amz-object-attributes': 'ObjectSize', 'x-amz-max-parts': 'abc' }
  const request = { method: 'GET', target: `${object}?attributes`, headers, status: 200 }
  const xml = { GetObjectAttributesResponse: { ObjectSize: '1' } }
  await answer(gateway, { title: 'GetObjectAttributes', ...request, xml })
})

test('ListBuckets knows the regions of buckets, and refuses what is no region', async (t) => {
  const gateway = await startGatewayInProcess(t, { ...inAws, REGION: 'us-east-1' })
  const constraint = '<LocationConstraint>eu-west-1</LocationConstraint>'
  const body = `<CreateBucketConfiguration>${constraint}</CreateBucketConfiguration>`
  await answer(gateway, { title: '', method: 'PUT', target: '/made', body, status: 200 })
  const list = async (region: string) => {
    const target = `/?bucket-region=${region}`
    const { status, text } = await exchange(gateway, { method: 'GET', target })
    const names = [...text.matchAll(/<Name>([^<]*)<.*?<BucketRegion>([^<]*)</g)]
    return [status, ...names.map(([, name, of]) => `${name} ${of}`)]
  }
  assert.deepEqual(await list('us-east-1'), [200, `${testBucket} us-east-1`])
  assert.deepEqual(await list('eu-west-1'), [200, 'made eu-west-1'])
  assert.deepEqual(await list('ap-south-2'), [200])
  assert.deepEqual(await list(''), [200, 'made eu-west-1', `${testBucket} us-east-1`])
  const refused = { status: 400, code: 'InvalidArgument', error: { ArgumentValue: 'abc' } }
  const target = '/?bucket-region=abc'
  await answer(gateway, { title: 'no region', method: 'GET', target, ...refused })
})

test('with ACLS=ignore, PutObjectAcl and PutBucketAcl cannot make something private in a public bucket', async (t) => {
  const gateway = await startGatewayInProcess(t, {
    ...inAws,
    ACLS: 'ignore',
    PUBLIC_READ_BUCKETS: testBucket,
  })
  await answer(gateway, { title: '', method: 'PUT', target: object, body: 'x', status: 200 })
  const headers = { 'x-amz-acl': 'private' }
  for (const target of [`${object}?acl`, `${bucket}?acl`]) {
    const request = { title: target, method: 'PUT', target, headers }
    const refused = { status: 501, code: 'NotImplemented' }
    assert.match((await answer(gateway, { ...request, ...refused })).text, /public/)
  }
})

test('with ACLS=ignore, a write with a private ACL is accepted in a public bucket, and the log says that it has no effect', async (t) => {
  const gateway = await startGatewayInProcess(t, {
    ...inAws,
    ACLS: 'ignore',
    PUBLIC_READ_BUCKETS: testBucket,
  })
  // rclone, and the uploader of the SDK for PHP, send it with each object. On AWS, a bucket policy opens the object as well.
  const request = { method: 'PUT', target: object, headers: { 'x-amz-acl': 'private' }, body: 'x' }
  await answer(gateway, { title: 'write', ...request, status: 200 })
  const upload = { method: 'POST', target: `${object}?uploads`, headers: request.headers }
  await answer(gateway, { title: 'upload', ...upload, status: 200 })
  const warnings = gateway.lines.filter(({ msg }) => /an ACL that has no effect/.test(msg))
  assert.equal(warnings.length, 1)
})

test("MinIO's extension of VersioningConfiguration is not implemented, not malformed", async (t) => {
  const gateway = await startGatewayInProcess(t, inAws)
  const prefixes = '<ExcludedPrefixes><Prefix>tmp/</Prefix></ExcludedPrefixes>'
  for (const extension of [prefixes, '<ExcludeFolders>true</ExcludeFolders>']) {
    for (const status of ['Enabled', 'Suspended']) {
      const body = `<VersioningConfiguration><Status>${status}</Status>${extension}</VersioningConfiguration>`
      const request = { method: 'PUT', target: `${bucket}?versioning`, body }
      await answer(gateway, { title: body, ...request, status: 501, code: 'NotImplemented' })
    }
  }
})
