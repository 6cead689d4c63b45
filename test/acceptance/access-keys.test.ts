/** Access keys through the whole gateway: what each may do, and when it stops to be valid. */
import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { Action, Grant } from '../../src/storage/access/authorize.ts'
import type { OperationName } from '../../src/storage/s3/operations.ts'
import { type GatewayInProcess, startGatewayInProcess } from '../support/gateway-in-process.ts'
import { dashboardPassword, ManagementClient } from '../support/management-client.ts'
import { type FormToPost, formRequest } from '../support/post-form.ts'
import { type SignedFetch, signedFetch, targetOf } from '../support/signed-fetch.ts'
import { presignTarget } from '../support/signed-request.ts'

const buckets = ['photos', 'backup', 'public'] as const
const keys = ['a', 'a/b', 'b', 'ä/*'] as const

/** `action bucket key`: a right that an operation needs. */
type Right = readonly [action: Action | 'any', bucket: string, key: string]

interface Case {
  readonly request: SignedFetch
  /** The form that is sent instead, in COMPATIBILITY=aws. */
  readonly form?: FormToPost
  /** All of them. */
  readonly needs: readonly Right[]
  /** Who may do it in a public bucket: everyone, or only holders of the rights. */
  readonly isPublic?: true
}

const source = { bucket: 'photos', key: 'a/b' } as const

const objectTarget = (bucket: string, key: string, query = '') =>
  `${targetOf(bucket, key)}${query === '' ? '' : `?${query}`}`

/** A case for each operation, for a bucket and a key (for a listing: its prefix). */
const cases: Readonly<Record<OperationName, (bucket: string, key: string) => Case>> = {
  ListBuckets: () => ({ request: { method: 'GET', target: '/' }, needs: [] }),
  BucketDefault: (bucket) => visit(bucket, 'logging'),
  CreateBucket: (bucket) => manage(bucket, 'PUT', ''),
  DeleteBucket: (bucket) => manage(bucket, 'DELETE', ''),
  DeleteBucketCors: (bucket) => manage(bucket, 'DELETE', 'cors'),
  DeleteBucketLifecycle: (bucket) => manage(bucket, 'DELETE', 'lifecycle'),
  DeleteObjects: (bucket, key) => {
    const body = `<Delete><Object><Key>${key}</Key></Object></Delete>`
    const headers = { 'content-md5': crypto.hash('md5', body, 'base64') }
    const request = { method: 'POST', target: `/${bucket}?delete`, headers, body }
    return { request, needs: [['delete', bucket, key]] }
  },
  GetBucketCors: (bucket) => visit(bucket, 'cors'),
  GetBucketLifecycleConfiguration: (bucket) => visit(bucket, 'lifecycle'),
  GetBucketLocation: (bucket) => visit(bucket, 'location'),
  HeadBucket: (bucket) => ({
    ...visit(bucket, ''),
    request: { method: 'HEAD', target: `/${bucket}` },
  }),
  ListMultipartUploads: (bucket, key) => list(bucket, key, 'uploads&'),
  ListObjects: (bucket, key) => list(bucket, key, ''),
  ListObjectsV2: (bucket, key) => list(bucket, key, 'list-type=2&'),
  ListObjectVersions: (bucket, key) => list(bucket, key, 'versions&'),
  GetBucketPolicy: (bucket) => visit(bucket, 'policy'),
  GetBucketPolicyStatus: (bucket) => visit(bucket, 'policyStatus'),
  PutBucketPolicy: (bucket) => manage(bucket, 'PUT', 'policy'),
  DeleteBucketPolicy: (bucket) => manage(bucket, 'DELETE', 'policy'),
  GetBucketTagging: (bucket) => visit(bucket, 'tagging'),
  PutBucketTagging: (bucket) => manage(bucket, 'PUT', 'tagging'),
  DeleteBucketTagging: (bucket) => manage(bucket, 'DELETE', 'tagging'),
  GetBucketWebsite: (bucket) => visit(bucket, 'website'),
  PutBucketWebsite: (bucket) => manage(bucket, 'PUT', 'website'),
  DeleteBucketWebsite: (bucket) => manage(bucket, 'DELETE', 'website'),
  GetPublicAccessBlock: (bucket) => visit(bucket, 'publicAccessBlock'),
  PutPublicAccessBlock: (bucket) => manage(bucket, 'PUT', 'publicAccessBlock'),
  DeletePublicAccessBlock: (bucket) => manage(bucket, 'DELETE', 'publicAccessBlock'),
  GetBucketOwnershipControls: (bucket) => visit(bucket, 'ownershipControls'),
  PutBucketOwnershipControls: (bucket) => manage(bucket, 'PUT', 'ownershipControls'),
  DeleteBucketOwnershipControls: (bucket) => manage(bucket, 'DELETE', 'ownershipControls'),
  GetBucketVersioning: (bucket) => visit(bucket, 'versioning'),
  PutBucketVersioning: (bucket) => manage(bucket, 'PUT', 'versioning'),
  GetObjectLockConfiguration: (bucket) => visit(bucket, 'object-lock'),
  PutObjectLockConfiguration: (bucket) => manage(bucket, 'PUT', 'object-lock'),
  GetObjectRetention: (bucket, key) => read(bucket, key, 'GET', 'retention'),
  PutObjectRetention: (bucket, key) => change(bucket, key, 'PUT', 'retention'),
  GetObjectLegalHold: (bucket, key) => read(bucket, key, 'GET', 'legal-hold'),
  PutObjectLegalHold: (bucket, key) => change(bucket, key, 'PUT', 'legal-hold'),
  GetBucketNotificationConfiguration: (bucket) => visit(bucket, 'notification'),
  PutBucketNotificationConfiguration: (bucket) => manage(bucket, 'PUT', 'notification'),
  PutBucketAcl: (bucket) => manage(bucket, 'PUT', 'acl'),
  PutObjectAcl: (bucket, key) => change(bucket, key, 'PUT', 'acl'),
  DeleteBucketEncryption: (bucket) => manage(bucket, 'DELETE', 'encryption'),
  PutBucketEncryption: (bucket) => manage(bucket, 'PUT', 'encryption'),
  PutBucketCors: (bucket) => manage(bucket, 'PUT', 'cors'),
  PutBucketLifecycleConfiguration: (bucket) => manage(bucket, 'PUT', 'lifecycle'),
  AbortMultipartUpload: (bucket, key) => write(bucket, key, 'DELETE', 'uploadId=none'),
  CompleteMultipartUpload: (bucket, key) => write(bucket, key, 'POST', 'uploadId=none'),
  CopyObject: (bucket, key) => copy(bucket, key, ''),
  CreateMultipartUpload: (bucket, key) => write(bucket, key, 'POST', 'uploads'),
  DeleteObject: (bucket, key) => ({
    request: { method: 'DELETE', target: objectTarget(bucket, key) },
    needs: [['delete', bucket, key]],
  }),
  GetObject: (bucket, key) => read(bucket, key, 'GET'),
  GetObjectAttributes: (bucket, key) => read(bucket, key, 'GET', 'attributes'),
  HeadObject: (bucket, key) => read(bucket, key, 'HEAD'),
  ListParts: (bucket, key) => ({
    ...write(bucket, key, 'GET', 'uploadId=none'),
    isPublic: true,
  }),
  GetObjectAcl: (bucket, key) => read(bucket, key, 'GET', 'acl'),
  DeleteObjectTagging: (bucket, key) => change(bucket, key, 'DELETE', 'tagging'),
  GetObjectTagging: (bucket, key) => read(bucket, key, 'GET', 'tagging'),
  PutObjectTagging: (bucket, key) => change(bucket, key, 'PUT', 'tagging'),
  PostObject: (bucket, key) => ({
    ...write(bucket, key, 'POST', ''),
    form: { bucket, fields: [['key', key]] },
  }),
  PutObject: (bucket, key) => write(bucket, key, 'PUT', ''),
  UploadPart: (bucket, key) => write(bucket, key, 'PUT', 'uploadId=none&partNumber=1'),
  UploadPartCopy: (bucket, key) => copy(bucket, key, 'uploadId=none&partNumber=1'),
}

function visit(bucket: string, query: string): Case {
  const target = `/${bucket}${query === '' ? '' : `?${query}`}`
  return { request: { method: 'GET', target }, needs: [['any', bucket, '']], isPublic: true }
}

function manage(bucket: string, method: string, query: string): Case {
  return { request: { method, target: `/${bucket}?${query}` }, needs: [['manage', bucket, '']] }
}

function list(bucket: string, prefix: string, query: string): Case {
  const target = `/${bucket}?${query}prefix=${encodeURIComponent(prefix).replace('*', '%2A')}`
  return { request: { method: 'GET', target }, needs: [['list', bucket, prefix]], isPublic: true }
}

function read(bucket: string, key: string, method: string, query = ''): Case {
  const request = { method, target: objectTarget(bucket, key, query) }
  return { request, needs: [['read', bucket, key]], isPublic: true }
}

function write(bucket: string, key: string, method: string, query: string): Case {
  const body = method === 'PUT' ? { body: 'x' } : {}
  const request = { method, target: objectTarget(bucket, key, query), ...body }
  return { request, needs: [['create', bucket, key]] }
}

/** A change of an object that exists. */
function change(bucket: string, key: string, method: string, query: string): Case {
  return { ...write(bucket, key, method, query), needs: [['write', bucket, key]] }
}

function copy(bucket: string, key: string, query: string): Case {
  const headers = { 'x-amz-copy-source': targetOf(source.bucket, source.key) }
  return {
    request: { method: 'PUT', target: objectTarget(bucket, key, query), headers },
    needs: [
      ['create', bucket, key],
      ['read', source.bucket, source.key],
    ],
  }
}

/** The model: rights spelled out one by one. */
function has(grants: readonly Grant[], [action, bucket, key]: Right): boolean {
  for (const grant of grants) {
    const isBucket = grant.bucket === '*' || grant.bucket === bucket
    const isImplied = action === 'create' && grant.actions.includes('write')
    const isAction = action === 'any' || isImplied || grant.actions.includes(action)
    if (isBucket && isAction && key.indexOf(grant.prefix) === 0) return true
    if (isBucket && action === 'any') return true
  }
  return false
}

async function start(t: TestContext, settings: Readonly<Record<string, string>> = {}) {
  const gateway = await startGatewayInProcess(t, {
    ...{ ALLOWED_BUCKETS: buckets.join(','), PUBLIC_READ_BUCKETS: 'public' },
    ...{
      BUCKET_CREATION: 'on',
      ACLS: 'ignore',
      SERVER_SIDE_ENCRYPTION: 'claim',
      DASHBOARD_PASSWORD: dashboardPassword,
      ...settings,
    },
  })
  const management = await ManagementClient.signIn(gateway.url)
  return {
    ...{ gateway, management },
    /** Makes a key, and the gateway as its holder sees it. */
    async holder(grants: readonly Grant[], more: object = {}) {
      const made = await management.done('POST', '/keys', { name: 'app', grants, ...more })
      const { accessKeyId: accessKey } = made.key
      const region = gateway.credentials.region
      const credentials = { accessKey, secretKey: made.secretKey, region }
      return { id: accessKey as string, server: { ...gateway, credentials } }
    },
  }
}

/** Whether the right is missing. What exists prevents creating it (write-once-keys.test.ts). */
function isRefusal(text: string): boolean {
  return text.includes('<Code>AccessDenied</Code>') && !text.includes('but not replace them')
}

async function isDenied(server: GatewayInProcess, request: SignedFetch): Promise<boolean> {
  const reply = await signedFetch(server, request)
  const text = await reply.text()
  if (request.method === 'HEAD') return reply.status === 403
  return isRefusal(text)
}

async function isFormDenied(server: GatewayInProcess, form: FormToPost): Promise<boolean> {
  const { target, headers = {}, ...init } = formRequest(form, server.credentials)
  const reply = await fetch(`${server.url}${target}`, { headers, ...init })
  assert.ok(reply.status === 204 || reply.status === 403, String(reply.status))
  return isRefusal(await reply.text())
}

const grantSets: readonly (readonly Grant[])[] = [
  [],
  [{ bucket: 'photos', prefix: '', actions: ['read', 'list'] }],
  [{ bucket: 'photos', prefix: 'a/', actions: ['list', 'read', 'write', 'delete'] }],
  [
    { bucket: 'photos', prefix: 'a', actions: ['read'] },
    { bucket: 'backup', prefix: '', actions: ['write', 'manage'] },
  ],
  [{ bucket: '*', prefix: 'b', actions: ['list', 'write', 'delete'] }],
  [{ bucket: '*', prefix: '', actions: ['read', 'write', 'manage'] }],
  [{ bucket: 'backup', prefix: 'ä/', actions: ['delete', 'read'] }],
  [{ bucket: '*', prefix: 'a', actions: ['create', 'read'] }],
  // Rights to versions do not include those to objects.
  [{ bucket: 'photos', prefix: '', actions: ['read-version', 'delete-version', 'bypass'] }],
]

for (const [index, grants] of grantSets.entries()) {
  test(`A key may do what its grants allow, in every operation (${index + 1})`, async (t) => {
    const aws = { COMPATIBILITY: 'aws', WEBSITE_DOMAINS: 'web.example.net' }
    const { holder } = await start(t, aws)
    const { server } = await holder(grants)
    for (const [operation, caseOf] of Object.entries(cases)) {
      for (const [bucket, key] of buckets.flatMap((each) => keys.map((k) => [each, k] as const))) {
        const { request, form, needs, isPublic } = caseOf(bucket, key)
        const isOpen = bucket === 'public' && isPublic === true
        const isAllowed = isOpen || needs.every((right) => has(grants, right))
        const context = `${operation} ${bucket} ${key}`
        const denied = form ? isFormDenied(server, form) : isDenied(server, request)
        assert.equal(await denied, !isAllowed, context)
      }
    }
  })
}

test('ListBuckets shows the buckets that a key has a grant for', async (t) => {
  const { holder } = await start(t)
  const { server } = await holder([{ bucket: 'backup', prefix: 'x', actions: ['read'] }])
  const reply = await signedFetch(server, { method: 'GET', target: '/' })
  const names = [...(await reply.text()).matchAll(/<Name>([^<]*)/g)].map(([, name]) => name)
  assert.deepEqual(names, ['backup'])
})

test("Another key's bucket is refused like one that does not exist", async (t) => {
  const { holder } = await start(t)
  const { server } = await holder([{ bucket: 'photos', prefix: '', actions: ['read'] }])
  const [others, none] = await Promise.all(
    ['backup', 'absent'].map(async (bucket) => {
      const reply = await signedFetch(server, { method: 'GET', target: `/${bucket}/k` })
      const text = (await reply.text()).replaceAll(bucket, 'NAME')
      return text.replace(/<RequestId>[^<]*/, '')
    }),
  )
  assert.equal(others, none)
})

test('A presigned URL ends with its key, its grant and its rotation', async (t) => {
  const { gateway, management, holder } = await start(t)
  const put = { method: 'PUT', target: '/photos/a', body: 'bytes' }
  assert.equal((await signedFetch(gateway, put)).status, 200)
  const grants: Grant[] = [{ bucket: 'photos', prefix: '', actions: ['read'] }]
  const changes: readonly (readonly [string, string, object?])[] = [
    ['PATCH', '', { grants: [{ bucket: 'backup', prefix: '', actions: ['read'] }] }],
    ['PATCH', '', { isDisabled: true }],
    ['PATCH', '', { expiresAt: new Date(1_000).toISOString() }],
    ['POST', '/rotate', { keepOldSeconds: 0 }],
    ['DELETE', ''],
  ]
  for (const [method, path, body] of changes) {
    const { id, server } = await holder(grants)
    const request = { method: 'GET', target: '/photos/a', host: gateway.host, expiresSeconds: 600 }
    const url = `${gateway.url}${presignTarget(request, server.credentials)}`
    assert.equal((await fetch(url)).status, 200)
    await management.done(method, `/keys/${id}${path}`, body)
    assert.equal((await fetch(url)).status, 403, `${method} ${path}`)
  }
})

test('After a rotation both secrets are valid for the chosen time', async (t) => {
  const { management, holder } = await start(t)
  const { id, server } = await holder([{ bucket: '*', prefix: '', actions: ['list'] }])
  const { secretKey, key } = await management.done('POST', `/keys/${id}/rotate`, {
    keepOldSeconds: 600,
  })
  assert.ok(Date.parse(key.oldSecretUntil) > Date.now())
  const request = { method: 'GET', target: '/photos' }
  const renewed = { ...server, credentials: { ...server.credentials, secretKey } }
  assert.equal((await signedFetch(server, request)).status, 200)
  assert.equal((await signedFetch(renewed, request)).status, 200)
})

test('Only a client with the secret learns that its key is disabled', async (t) => {
  const { management, holder } = await start(t)
  const { id, server } = await holder([{ bucket: '*', prefix: '', actions: ['list'] }])
  await management.done('PATCH', `/keys/${id}`, { isDisabled: true })
  const request = { method: 'GET', target: '/photos' }
  assert.match(await (await signedFetch(server, request)).text(), /This access key is disabled/)
  const refusals = await Promise.all(
    [id, 'BKAAAAAAAAAAAAAAAAAA'].map(async (accessKey) => {
      const credentials = { ...server.credentials, accessKey, secretKey: 'guessed' }
      const reply = await signedFetch({ ...server, credentials }, request)
      return (await reply.text()).replace(/<RequestId>[^<]*/, '')
    }),
  )
  assert.equal(refusals[0], refusals[1])
  assert.doesNotMatch(refusals[0] ?? '', /disabled/)
})

test('A key that sends more than its limit gets SlowDown', async (t) => {
  const { holder } = await start(t)
  const grants: Grant[] = [{ bucket: '*', prefix: '', actions: ['list'] }]
  const { server } = await holder(grants, { limits: { requestsPerSecond: 1, bytes: null } })
  const request = { method: 'GET', target: '/photos' }
  const first = await signedFetch(server, request)
  assert.equal(first.status, 200)
  await first.text()
  let refused = await signedFetch(server, request)
  // A machine that is busy for a second allows one more.
  for (let sent = 0; refused.status === 200 && sent < 100; sent += 1) {
    refused = await signedFetch(server, request)
  }
  assert.equal(refused.status, 503)
  assert.match(await refused.text(), /<Code>SlowDown/)
  assert.equal(refused.headers.get('retry-after'), '1')
})

test('The API names buckets of grants that do not exist', async (t) => {
  const { management } = await start(t)
  const grant = (bucket: string) => ({ bucket, prefix: '', actions: ['read'] })
  const grants = ['photos', 'nosuch', '*', 'nosuch'].map(grant)
  const { key } = await management.done('POST', '/keys', { name: 'x', grants })
  assert.deepEqual(key.unknownBuckets, ['nosuch'])
  const changed = await management.done('PATCH', `/keys/${key.accessKeyId}`, {
    grants: [grant('other-one')],
  })
  assert.deepEqual(changed.unknownBuckets, ['other-one'])
  const { keys } = await management.done('GET', '/keys')
  assert.deepEqual(keys[0].unknownBuckets, ['other-one'])
})

test('The API refuses what it cannot keep, and names the field', async (t) => {
  const { management } = await start(t)
  const grants = [{ bucket: 'No', prefix: '', actions: ['read'] }]
  const refused = await management.send('POST', '/keys', { name: 'x', grants })
  assert.equal(refused.status, 400)
  assert.equal(refused.body.field, 'grants[0].bucket')
  assert.equal((await management.send('DELETE', '/keys/NOKEY')).status, 404)
  assert.deepEqual(await management.done('GET', '/keys'), { keys: [] })
})
