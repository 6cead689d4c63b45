/** CreateBucket and DeleteBucket with each value of BUCKET_CREATION. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket } from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient } from '../support/management-client.ts'
import { answer, type WireCase } from '../support/wire-case.ts'

const served = `/${testBucket}`

const put = (target: string, expected: Partial<WireCase> = {}): WireCase => ({
  ...{ title: `PUT ${target}`, method: 'PUT', target, status: 200, ...expected },
})
const remove = (target: string, expected: Partial<WireCase> = {}): WireCase => ({
  ...{ title: `DELETE ${target}`, method: 'DELETE', target, status: 204, ...expected },
})
const get = (target: string, expected: Partial<WireCase> = {}): WireCase => ({
  ...{ title: `GET ${target}`, method: 'GET', target, status: 200, ...expected },
})
const denied = { status: 403, code: 'AccessDenied' }
const notAllowed = { status: 405, code: 'MethodNotAllowed' }
const configured = (elements: string) =>
  `<CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${elements}</CreateBucketConfiguration>`
const located = (constraint: string) =>
  configured(`<LocationConstraint>${constraint}</LocationConstraint>`)
/** As AppFlowy asks for a bucket. */
const directory = configured('<Bucket><Type>Directory</Type></Bucket>')

async function start(t: TestContext, creation: string, settings: Record<string, string> = {}) {
  const gateway = await startGatewayInProcess(t, { BUCKET_CREATION: creation, ...settings })
  return { gateway, ask: (wireCase: WireCase) => answer(gateway, wireCase) }
}

test('off: as the contract says', async (t) => {
  const { ask } = await start(t, 'off')
  await ask(put(served, { ...notAllowed, fields: { allow: 'GET, HEAD' } }))
  await ask(remove(served, notAllowed))
  await ask(put('/new', denied))
  await ask(remove('/new', denied))
  await ask(get('/new', denied))
})

for (const creation of ['off', 'existing']) {
  test(`${creation}: what is refused names BUCKET_CREATION and the value that allows it`, async (t) => {
    const { ask } = await start(t, creation)
    const refuses = async (wireCase: WireCase, value: string) => {
      const { text } = await ask(wireCase)
      assert.match(text, new RegExp(`<Message>[^<]*BUCKET_CREATION=${value}\\b`))
    }
    const unknown = { status: 501, code: 'NotImplemented' }
    if (creation === 'off') await refuses(put(served, notAllowed), 'existing')
    await refuses(remove(served, notAllowed), 'on')
    for (const name of ['cors', 'lifecycle']) {
      await refuses(put(`${served}?${name}`, unknown), 'on')
      await refuses(remove(`${served}?${name}`, unknown), 'on')
    }
    const other = await ask(put(`${served}?logging`, unknown))
    assert.doesNotMatch(other.text, /BUCKET_CREATION/)
  })
}

test('existing: a bucket that is served can be created', async (t) => {
  const { ask } = await start(t, 'existing')
  await ask(put(served, { text: '', fields: { location: served } }))
  await ask(put(served, { body: located('us-east-1') }))
  await ask(put(served, { body: directory }))
  await ask(put(served, { headers: { 'x-amz-acl': 'private' } }))
  await ask(put(served, { isUnsigned: true, ...denied }))
  await ask(remove(served, { ...notAllowed, fields: { allow: 'GET, HEAD, PUT' } }))
  await ask(put('/new', denied))
  await ask(get('/new', denied))
})

test('existing: 200 in every region', async (t) => {
  const { gateway } = await start(t, 'existing', { REGION: 'eu-west-1' })
  const credentials = { ...gateway.credentials, region: 'eu-west-1' }
  await answer({ ...gateway, credentials }, put(served))
})

test('on: a bucket is created when a directory bucket without a zone is requested', async (t) => {
  const { ask } = await start(t, 'on')
  await ask(put('/flowy', { body: directory, fields: { location: '/flowy' } }))
  await ask(put('/flowy/key', { body: 'x' }))
})

test('on: a bucket is created, used and removed', async (t) => {
  const { ask } = await start(t, 'on')
  const missing = { status: 404, code: 'NoSuchBucket' }
  await ask(get('/new', missing))
  await ask({ ...get('/new', { status: 404 }), method: 'HEAD' })
  await ask(put('/new/key', { body: 'x', ...missing }))
  await ask(get('/new', { isUnsigned: true, ...denied }))
  await ask(put('/new', { isUnsigned: true, ...denied }))
  await ask(put('/new', { text: '', fields: { location: '/new' } }))
  await ask(put('/new/a/key', { body: 'x' }))
  await ask(get('/new/a/key', { text: 'x' }))
  await ask(get('/new/a/key', { isUnsigned: true, ...denied }))
  await ask(
    get('/', {
      xml: {
        ListAllMyBucketsResult: { Buckets: { Bucket: [{ Name: 'new' }, { Name: testBucket }] } },
      },
    }),
  )
  await ask(remove('/new', { status: 409, code: 'BucketNotEmpty' }))
  await ask(get('/new/a/key', { text: 'x' }))
  await ask(remove('/new/a/key'))
  await ask(remove('/new', { isUnsigned: true, ...denied }))
  await ask(remove('/new', { text: '' }))
  await ask(get('/new', missing))
  await ask(remove('/new', missing))
  await ask(put('/new'))
  await ask(get('/new', { xml: { ListBucketResult: { Contents: undefined } } }))
})

test('on: what was set for a removed bucket is not set for its successor', async (t) => {
  const { ask } = await start(t, 'on')
  const rule =
    '<CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>*</AllowedOrigin></CORSRule>'
  await ask(put('/new'))
  await ask(put('/new?cors', { body: `<CORSConfiguration>${rule}</CORSConfiguration>` }))
  await ask(get('/new?cors'))
  await ask(remove('/new'))
  await ask(put('/new'))
  await ask(get('/new?cors', { status: 404, code: 'NoSuchCORSConfiguration' }))
})

test('on: open uploads are aborted with their bucket', async (t) => {
  const { ask } = await start(t, 'on')
  await ask(put('/new'))
  const { xml } = await ask({ ...get('/new/key?uploads'), method: 'POST' })
  const { UploadId } = xml.InitiateMultipartUploadResult as { UploadId: string }
  await ask(put(`/new/key?partNumber=1&uploadId=${UploadId}`, { body: 'x' }))
  await ask(remove('/new'))
  await ask(put('/new'))
  const gone = { status: 404, code: 'NoSuchUpload' }
  await ask(get(`/new/key?uploadId=${UploadId}`, gone))
})

test('on: creating a bucket again', async (t) => {
  const virginia = await start(t, 'on')
  await virginia.ask(put('/new'))
  await virginia.ask(put('/new'))
  await virginia.ask(put(served))
  const ireland = await startGatewayInProcess(t, { BUCKET_CREATION: 'on', REGION: 'eu-west-1' })
  const credentials = { ...ireland.credentials, region: 'eu-west-1' }
  const ask = (wireCase: WireCase) => answer({ ...ireland, credentials }, wireCase)
  await ask(put('/new', { body: located('eu-west-1') }))
  await ask(put('/new', { status: 409, code: 'BucketAlreadyOwnedByYou' }))
  await ask(put(served, { status: 409, code: 'BucketAlreadyOwnedByYou' }))
  await ask(
    put('/other', {
      ...{ body: located('us-west-2'), status: 400, code: 'IllegalLocationConstraintException' },
    }),
  )
})

test('on: what is refused', async (t) => {
  const { gateway, ask } = await start(t, 'on')
  const invalid = { status: 400, code: 'InvalidBucketName' }
  for (const name of [
    'ab',
    'Upper',
    'under_score',
    '192.168.1.1',
    'a..b',
    'xn--a',
    `${'x'.repeat(64)}`,
  ]) {
    await ask(put(`/${name}`, invalid))
  }
  const place = (body: string, code: string) => ask(put('/new', { body, status: 400, code }))
  await place(located('no such place'), 'InvalidLocationConstraint')
  await place('<Other/>', 'MalformedXML')
  await place('<CreateBucketConfiguration>', 'MalformedXML')
  const unknown = { status: 501, code: 'NotImplemented' }
  for (const element of [
    '<Tags><Tag/></Tags>',
    '<Location><Name>use1-az4</Name></Location>',
    '<Bucket/>',
    '<Bucket><Type>Other</Type></Bucket>',
    '<Bucket><Type>Directory</Type><DataRedundancy>SingleAvailabilityZone</DataRedundancy></Bucket>',
    '<Location><Name>use1-az4</Name></Location><Bucket><Type>Directory</Type></Bucket>',
  ]) {
    await ask(put('/new', { body: configured(element), ...unknown }))
  }
  for (const [name, value] of [
    ['x-amz-acl', 'public-read'],
    ['x-amz-grant-read', 'id=someone'],
  ] as const) {
    await ask(put('/new', { headers: { [name]: value }, error: { Header: name }, ...unknown }))
  }
  await ask(
    put('/new', {
      headers: { 'x-amz-object-ownership': 'Me' },
      status: 400,
      code: 'InvalidArgument',
      error: { ArgumentName: 'x-amz-object-ownership', ArgumentValue: 'Me' },
    }),
  )
  await ask(get('/new', { status: 404, code: 'NoSuchBucket' }))
  // A folder with content that is no bucket, as of a person.
  await gateway.drive.addBucket('private')
  const draft = await gateway.drive.draft('private', 'diary', {})
  await draft.publish({ etag: 'e', contentType: undefined, userMetadata: {} } as never)
  await ask(put('/private', { status: 409, code: 'BucketAlreadyExists' }))
  await ask(get('/private/diary', { status: 404, code: 'NoSuchBucket' }))
  await ask(remove(served, notAllowed))
})

test('on: keys create and remove what they may manage, and learn nothing else', async (t) => {
  const gateway = await startGatewayInProcess(t, {
    ...{ BUCKET_CREATION: 'on', DASHBOARD_PASSWORD: dashboardPassword },
  })
  const management = await ManagementClient.signIn(gateway.url)
  const holder = async (bucket: string, actions: readonly string[]) => {
    const grants = [{ bucket, prefix: '', actions }]
    const made = await management.done('POST', '/keys', { name: 'app', grants })
    const { region } = gateway.credentials
    const credentials = { accessKey: made.key.accessKeyId, secretKey: made.secretKey, region }
    return (wireCase: WireCase) => answer({ ...gateway, credentials }, wireCase)
  }
  const manager = await holder('mine', ['manage'])
  const reader = await holder('mine', ['read', 'list', 'write', 'delete'])
  await reader(put('/mine', denied))
  await reader(get('/mine', { status: 404, code: 'NoSuchBucket' }))
  await manager(put('/mine'))
  await manager(put('/theirs', denied))
  await manager(get('/theirs', denied))
  await answer(gateway, put('/theirs'))
  await manager(put('/theirs', denied))
  await manager(remove('/theirs', denied))
  await reader(remove('/mine', denied))
  await reader(put('/mine/key', { body: 'x' }))
  await reader(remove('/mine/key'))
  await manager(remove('/mine'))
})

test('on: a bucket that exists is created again in us-east-1 only, as on AWS', async (t) => {
  const { ask } = await start(t, 'on', { COMPATIBILITY: 'aws' })
  const owned = { status: 409, code: 'BucketAlreadyOwnedByYou' }
  const elsewhere = { body: located('eu-west-1') }
  await ask(put('/here'))
  await ask(put('/there', elsewhere))
  await ask(put('/here'))
  await ask(put('/here', { ...elsewhere, ...owned }))
  await ask(put('/there', { ...elsewhere, ...owned }))
  await ask(put('/there', owned))
})
