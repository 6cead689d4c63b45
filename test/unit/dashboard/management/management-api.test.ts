import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { servedBuckets } from '../../../support/served-buckets.ts'
import {
  keysOf,
  type ManagementFixture,
  openManagement,
  put,
  session,
  until,
} from './management-fixture.ts'

type Method = Parameters<ManagementFixture['send']>[0]

const endpoints: readonly (readonly [method: Method, path: string, body?: object])[] = [
  ['GET', '/status'],
  ['GET', '/settings'],
  ['GET', '/buckets'],
  ['PATCH', '/buckets/files', { expiry: [] }],
  ['POST', '/buckets/files/expiry/dry-run', { expiry: [] }],
  ['POST', '/buckets/files/count'],
  ['GET', '/keys'],
  ['POST', '/keys', { name: 'n', grants: [] }],
  ['PATCH', '/keys/some', { name: 'n' }],
  ['POST', '/keys/some/rotate', { keepOldSeconds: 0 }],
  ['DELETE', '/keys/some'],
  ['GET', '/folder?bucket=files'],
  ['GET', '/folder-revision?bucket=files'],
  ['GET', '/folder-counts?bucket=files'],
  ['POST', '/folder-counts', { bucket: 'files', prefix: 'a/' }],
  ['DELETE', '/folder-counts/some'],
  ['POST', '/presign', { method: 'GET', bucket: 'files', key: 'a' }],
  ['POST', '/file-jobs', { action: 'delete', bucket: 'files', paths: ['a'] }],
  [
    ...(['POST', '/file-jobs/clashes'] as const),
    { action: 'move', bucket: 'files', paths: ['a'], to: { bucket: 'files', prefix: 'b/' } },
  ],
  ['GET', '/file-jobs'],
  ['GET', '/file-jobs/some'],
  ['DELETE', '/file-jobs/some'],
  ['GET', '/trash?bucket=files'],
  ['GET', '/trashes'],
  ['GET', '/stars'],
  ['PUT', '/stars', { bucket: 'files', keys: ['a'], isStarred: true }],
  ['GET', '/recent'],
  ['POST', '/recent', { bucket: 'files', key: 'a' }],
  ['GET', '/trash-files?bucket=files&trashId=000000000-00000000'],
  ['GET', '/deleted?bucket=files'],
  ['GET', '/uploads'],
  ['DELETE', '/uploads/some'],
  ['GET', '/activity'],
  ['GET', '/traffic'],
  ['GET', '/failures'],
  ['DELETE', '/failures'],
  ['POST', '/buckets', { name: 'made' }],
  ['DELETE', '/buckets/files'],
  ['POST', '/archives', { bucket: 'files' }],
  ['GET', '/search?text=a'],
  ['GET', '/thumbnails?bucket=files&etag=e'],
  ['PUT', '/thumbnails', { bucket: 'files', key: 'a', etag: 'e', picture: '' }],
]

test('every endpoint of the management API is in the list below', async (t) => {
  const { routes } = await openManagement(t)
  // Its address is what admits (test/acceptance/management-archive.test.ts).
  const open = routes.filter(({ path }) => path === '/-/api/archive')
  assert.equal(routes.length, endpoints.length + open.length)
})

for (const [method, path, body] of endpoints) {
  test(`${method} ${path} without a session is 401 and does nothing`, async (t) => {
    const { send, drive, presigned, fileJobs } = await openManagement(t)
    await put(drive, 'a')
    for (const authorization of ['', 'Bearer wrong', `Basic ${session.authorization}`]) {
      const answer = await send(method, path, body, { authorization })
      assert.equal(answer.status, 401)
      assert.deepEqual(Object.keys(answer.body), ['message'])
    }
    assert.deepEqual(await keysOf(drive), ['a'])
    assert.deepEqual(await fileJobs.list(9), [])
    assert.deepEqual(presigned, [])
  })
}

const hour = '3600'
type Row = readonly [
  method: Method,
  path: string,
  body: unknown,
  field?: string | undefined,
  status?: number,
]
const presign = (fields: object) => ({
  ...{ method: 'GET', bucket: 'files', key: 'k' },
  ...fields,
})
const expiry = (fields: object) => ({
  ...{ id: 'old', prefix: '', days: 1, abortUploadsDays: null, isEnabled: true },
  ...fields,
})
const badBodies = [[], '"text"', 'null', '{"half":', '{"__proto__": {}}', '5']

const rows: readonly Row[] = [
  ...badBodies.flatMap((body): Row[] => [
    ['POST', '/presign', body],
    ['POST', '/file-jobs', body],
    ['PATCH', '/buckets/files', body],
  ]),
  ['POST', '/presign', {}, 'method'],
  ['POST', '/presign', presign({ method: 'PATCH' }), 'method'],
  ['POST', '/presign', presign({ method: 'get' }), 'method'],
  ['POST', '/presign', presign({ bucket: undefined }), 'bucket'],
  ['POST', '/presign', presign({ bucket: 'other' }), 'bucket'],
  ['POST', '/presign', presign({ bucket: '' }), 'bucket'],
  ['POST', '/presign', presign({ bucket: '../files' }), 'bucket'],
  ['POST', '/presign', presign({ bucket: 'files/x' }), 'bucket'],
  ['POST', '/presign', presign({ bucket: 'FILES' }), 'bucket'],
  ['POST', '/presign', presign({ bucket: ['files'] }), 'bucket'],
  ['POST', '/presign', presign({ key: '' }), 'key'],
  ['POST', '/presign', presign({ key: 'ж'.repeat(513) }), 'key'],
  ['POST', '/presign', presign({ key: 'k'.repeat(1_025) }), 'key'],
  ['POST', '/presign', '{"method":"GET","bucket":"files","key":"\\ud800"}', 'key'],
  ['POST', '/presign', presign({ key: null }), 'key'],
  ['POST', '/presign', presign({ expiresSeconds: 0 }), 'expiresSeconds'],
  ['POST', '/presign', presign({ expiresSeconds: 604_801 }), 'expiresSeconds'],
  ['POST', '/presign', presign({ expiresSeconds: 1.5 }), 'expiresSeconds'],
  ['POST', '/presign', presign({ expiresSeconds: hour }), 'expiresSeconds'],
  ['POST', '/presign', presign({ origin: 'https://evil.example' }), 'origin'],
  ['POST', '/presign', presign({ query: [] }), 'query'],
  ['POST', '/presign', presign({ query: { uploads: 1 } }), 'query.uploads'],
  ['POST', '/presign', presign({ query: { '': 'x' } }), 'query[""]'],
  ['POST', '/presign', presign({ query: { a: 'x'.repeat(4_097) } }), 'query.a'],
  ['POST', '/presign', '{"method":"GET","bucket":"files","query":{"a":"\\udc00"}}', 'query.a'],
  ...[
    'X-Amz-Signature',
    'x-amz-signature',
    'X-Amz-Date',
    'X-Amz-Expires',
    'X-Amz-Credential',
    'X-Amz-Algorithm',
    'X-Amz-SignedHeaders',
    'X-Amz-Security-Token',
    'X-Amz-Content-Sha256',
    'Signature',
    'AWSAccessKeyId',
    'Expires',
  ].map(
    (name): Row => [
      'POST',
      '/presign',
      presign({ query: { a: 'b', [name]: '1' } }),
      name.includes('-') ? `query["${name}"]` : `query.${name}`,
    ],
  ),
  ['POST', '/buckets/other/count', undefined, undefined, 404],
  ['PATCH', '/buckets/other', { expiry: [] }, undefined, 404],
  ['PATCH', '/buckets/files', { other: 1 }, 'other'],
  ['PATCH', '/buckets/files', { allowedOrigins: [] }, 'allowedOrigins'],
  ['PATCH', '/buckets/files', { allowedOrigins: 'https://a.example' }, 'allowedOrigins'],
  ...['app.example', 'https://app.example/', 'https://*.a.*', 'https://a b', '', 'https://a,b'].map(
    (origin): Row => [
      ...(['PATCH', '/buckets/files'] as const),
      { allowedOrigins: ['*', origin] },
      'allowedOrigins[1]',
    ],
  ),
  ['PATCH', '/buckets/files', { cors: [] }, 'cors'],
  ['PATCH', '/buckets/files', { cors: null, allowedOrigins: ['*'] }, 'allowedOrigins'],
  ['PATCH', '/buckets/files', { tags: { 'aws:a': '1' } }, 'tags'],
  ['PATCH', '/buckets/files', { tags: { a: '<' } }, 'tags.a'],
  ['PATCH', '/buckets/files', { tags: { a: '1' } }, 'tags', 409],
  ['PATCH', '/buckets/files', { notifications: [] }, 'notifications', 409],
  ['PATCH', '/buckets/files', { quotaBytes: -1 }, 'quotaBytes'],
  ['PATCH', '/buckets/files', { quotaBytes: 1.5 }, 'quotaBytes'],
  ['PATCH', '/buckets/files', { quotaBytes: '5' }, 'quotaBytes'],
  ['PATCH', '/buckets/files', { quotaBytes: 2 ** 60 }, 'quotaBytes'],
  ['PATCH', '/buckets/files', { expiry: null }, 'expiry'],
  ['PATCH', '/buckets/files', { expiry: [expiry({}), expiry({})] }, 'expiry'],
  ['PATCH', '/buckets/files', { expiry: [expiry({ id: '' })] }, 'expiry[0].id'],
  ['PATCH', '/buckets/files', { expiry: [expiry({ id: 'i'.repeat(256) })] }, 'expiry[0].id'],
  ['PATCH', '/buckets/files', { expiry: [expiry({ days: 0 })] }, 'expiry[0].days'],
  ['PATCH', '/buckets/files', { expiry: [expiry({ days: 1.5 })] }, 'expiry[0].days'],
  ['PATCH', '/buckets/files', { expiry: [expiry({ days: null })] }, 'expiry[0].days'],
  ['PATCH', '/buckets/files', { expiry: [expiry({ date: '2030-01-01' })] }, 'expiry[0].date'],
  [
    ...(['PATCH', '/buckets/files'] as const),
    { expiry: [expiry({ days: null, date: '2030-02-30' })] },
    'expiry[0].date',
  ],
  [
    ...(['PATCH', '/buckets/files'] as const),
    { expiry: [expiry({ prefix: 'ж'.repeat(513) })] },
    'expiry[0].prefix',
  ],
  ['GET', '/file-jobs/none', undefined, undefined, 404],
  ['DELETE', '/file-jobs/none', undefined, undefined, 404],
  ['GET', '/uploads?bucket=other', undefined, 'bucket'],
  ['GET', '/uploads?after=x', undefined, 'after'],
  ['GET', "/uploads?after=1.'%20OR%201=1", undefined, 'after'],
  ['GET', '/uploads?after=1.a&after=2.b', undefined, 'after'],
  ['GET', '/uploads?limit=5', undefined, 'limit'],
  ['DELETE', '/uploads/none', undefined, undefined, 404],
  ['PUT', '/status', undefined, undefined, 405],
  ['PUT', '/buckets', undefined, undefined, 405],
  ['GET', '/presign', undefined, undefined, 405],
  ['GET', '/nothing', undefined, undefined, 404],
]

describe('management API, bad input', () => {
  let fixture: ManagementFixture
  const ends: (() => unknown)[] = []
  // One for all of them: nothing may change.
  before(async () => {
    fixture = await openManagement({ after: (end) => void ends.unshift(end) })
    await put(fixture.drive, 'a')
  })
  after(async () => {
    for (const end of ends) await end()
  })

  for (const [method, path, body, field, status = 400] of rows) {
    const said = (typeof body === 'string' ? body : JSON.stringify(body)) ?? 'nothing'
    test(`${method} ${path} answers ${status}, ${field}, to ${said.slice(0, 90)}`, async () => {
      const answer = await fixture.send(method, path, body)
      assert.equal(answer.status, status, answer.text)
      assert.equal(answer.body.field, field, answer.text)
      assert.equal(typeof answer.body.message, 'string')
      assert.ok(answer.text.length < 1_000)
      assert.deepEqual(await keysOf(fixture.drive), ['a'])
      assert.deepEqual(await fixture.fileJobs.list(9), [])
      assert.deepEqual(fixture.presigned, [])
    })
  }
})

test('GET /status returns the version, the drive and the address of the request', async (t) => {
  const { send } = await openManagement(t)
  const { status, body } = await send('GET', '/status', undefined, { host: 'example.org:9000' })
  assert.equal(status, 200)
  assert.deepEqual(body, {
    ...{ version: '1.2.3', uptimeSeconds: 5, drives: [], settings: [] },
    drive: {
      ...{ kind: 'memory', deletes: 'permanent', problem: null },
      ...{ freeBytes: null, totalBytes: null },
    },
    endpoint: {
      ...{ url: 'http://example.org:9000', isPublicUrl: false },
      ...{ region: 'us-east-1', accessKey: 'AKIATEST' },
    },
  })
})

test('requests with an invalid Host header are rejected where the address matters', async (t) => {
  const { send, presigned } = await openManagement(t)
  const body = { method: 'GET', bucket: 'files' }
  for (const answer of [
    await send('GET', '/status', undefined, { host: 'bad' }),
    await send('POST', '/presign', body, { host: 'bad' }),
  ]) {
    assert.deepEqual([answer.status, answer.body.field], [400, 'host'])
  }
  assert.deepEqual(presigned, [])
  assert.equal((await send('GET', '/buckets', undefined, { host: 'bad' })).status, 200)
})

test('POST /presign signs method, path and query for five minutes unless told otherwise', async (t) => {
  const { send, presigned } = await openManagement(t)
  const query = { partNumber: '2', uploadId: 'u', 'x-amz-copy-source': '/files/a' }
  const answer = await send(
    ...(['POST', '/presign', { method: 'PUT', bucket: 'files', key: 'a b/é', query }] as const),
    { host: 'h' },
  )
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.body, {
    url: 'http://h/files/a b/é?signed',
    // Of the second that is in the signature.
    expiresAt: '2023-11-14T22:18:20.000Z',
  })
  const body = { method: 'GET', bucket: 'public', expiresSeconds: 604_800 }
  assert.equal((await send('POST', '/presign', body, { host: 'h' })).status, 200)
  assert.deepEqual(presigned, [
    {
      ...{ method: 'PUT', origin: 'http://h', path: '/files/a b/é', query },
      ...{ expiresSeconds: 300, nowMs: 1_700_000_000_000 },
    },
    {
      ...{ method: 'GET', origin: 'http://h', path: '/public', query: {} },
      ...{ expiresSeconds: 604_800, nowMs: 1_700_000_000_000 },
    },
  ])
})

test('GET /buckets returns every bucket immediately, and its figures once counted', async (t) => {
  const { send, drive } = await openManagement(t)
  await put(drive, 'a', 'four')
  await put(drive, 'b/c', 'sixsix')
  const first = await send('GET', '/buckets')
  assert.equal(first.status, 200)
  const nothing = {
    objects: null,
    bytes: null,
    formerVersions: null,
    ...{ versioning: 'off', versionsRefusal: null, hasObjectLock: false },
    lastModified: null,
    countedAt: null,
  }
  const unset = {
    openByPolicy: [],
    ...{ allowedOrigins: null, cors: null, tags: null, notifications: null },
    expiry: [],
    quotaBytes: null,
    ...{ website: null, websiteHost: null, lastExpiry: null },
  }
  const common = {
    source: 'environment',
    drive: 'default',
    isReadOnly: false,
    ...nothing,
    isCounting: true,
    problem: null,
    ...unset,
  }
  for (const bucket of first.body.buckets) assert.match(bucket.createdAt, /^\d{4}-.*Z$/)
  assert.deepEqual(
    first.body.buckets.map(({ createdAt: _, ...bucket }: { createdAt: string }) => bucket),
    [
      { name: 'files', isPublic: false, isPublicFromEnvironment: false, ...common },
      { name: 'public', isPublic: true, isPublicFromEnvironment: true, ...common },
    ],
  )
  await until(async () => {
    const { body } = await send('GET', '/buckets')
    return body.buckets.every(({ isCounting }: { isCounting: boolean }) => !isCounting)
  })
  const { body } = await send('GET', '/buckets')
  const [files, empty] = body.buckets
  assert.deepEqual([files.objects, files.bytes], [2, 10])
  assert.ok(Date.parse(files.countedAt) >= Date.parse(files.lastModified) - 1_000)
  assert.deepEqual([empty.objects, empty.bytes, empty.lastModified], [0, 0, null])
})

test('GET /buckets responds even if the drive does not', async (t) => {
  const { send } = await openManagement(t, {
    buckets: servedBuckets(['files']),
    bucketCreatedAtMs: async () => undefined,
  })
  const { status, body } = await send('GET', '/buckets')
  assert.equal(status, 200)
  assert.equal(body.buckets[0].createdAt, null)
})

test('POST /buckets/{bucket}/count counts again even right after a count', async (t) => {
  const { send, drive } = await openManagement(t)
  const objects = async () => (await send('GET', '/buckets')).body.buckets[0].objects
  await until(async () => (await objects()) === 0)
  await put(drive, 'a')
  assert.equal(await objects(), 0)
  const answer = await send('POST', '/buckets/files/count')
  assert.deepEqual([answer.status, answer.text], [202, ''])
  await until(async () => (await objects()) === 1)
})

test('GET and DELETE of uploads pass on their parameters', async (t) => {
  const asked: unknown[] = []
  const upload = {
    ...{ uploadId: 'u-_', bucket: 'files', key: 'k\0', parts: 2, bytes: 5 },
    ...{ initiatedAt: '2026-01-01T00:00:00.000Z', lastPartAt: '2026-01-01T00:00:01.000Z' },
    expiresAt: '2026-01-02T00:00:01.000Z',
  }
  const { send } = await openManagement(t, {
    uploads: {
      list: async (page) => {
        asked.push(page)
        return { uploads: [upload], next: '17.u-_' }
      },
      abort: async (id) => {
        asked.push(id)
        return true
      },
    },
  })
  const { body } = await send('GET', '/uploads?bucket=files&after=18.Ab-_')
  assert.deepEqual(body, { uploads: [upload], next: '17.u-_' })
  const answer = await send('DELETE', '/uploads/u-_')
  assert.deepEqual([answer.status, answer.text], [204, ''])
  assert.deepEqual(asked, [{ bucket: 'files', after: '18.Ab-_' }, 'u-_'])
})
