import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ActivityWatch } from '../../../../src/app/telemetry/activity-watch.ts'
import { activityOf } from '../../../../src/dashboard/management/activity-recorder.ts'
import type { ActivityStatus } from '../../../../src/dashboard/management/activity-schemas.ts'
import type { ActivityKind } from '../../../../src/dashboard/management/activity-table.ts'
import type { Outcome } from '../../../../src/platform/http/exchange.ts'
import type { HttpRequest } from '../../../../src/platform/http/message.ts'
import type { Database, Statement } from '../../../../src/platform/state/database.ts'
import { servedBuckets } from '../../../support/served-buckets.ts'
import { openTestDatabase } from '../../dashboard/management/management-fixture.ts'
import { recordOf, requestOf } from '../start/request-of.ts'

const buckets = servedBuckets(['files'])
const settings = {
  dashboardPassword: 'open sesame' as string | undefined,
}

const outcome = (status: number, logFields: Outcome['logFields'] = {}): Outcome => ({
  ...{ status, logFields, bytesReceived: 1, bytesSent: 1, durationMs: 1, isAborted: false },
})

function finish(watch: ActivityWatch, request: HttpRequest, ended: Outcome): void {
  watch.onRequest(recordOf(request, ended, { trustProxy: ['192.0.2.1'] }))
}

/** What the watch has kept, newest first. */
async function listed(
  watch: ActivityWatch,
  kinds: readonly ActivityKind[] = ['failure'],
): Promise<ActivityStatus[]> {
  const page = { kinds, after: undefined, fromMs: 0, limit: 100 }
  return (await watch.page(page)).map(activityOf)
}

test('Failed requests are recorded with the fields of their reply, and without the query', async (t) => {
  const watch = new ActivityWatch({ settings, buckets, database: await openTestDatabase(t) })
  t.after(() => watch.close())
  const request = {
    ...requestOf('PUT', '/files/a%20b?X-Amz-Signature=hush'),
    headers: { 'x-forwarded-for': '198.51.100.7', authorization: 'hush' },
    receivedAtMs: 1_700_000_000_000,
  }
  const logFields = { bucket: 'files', key: 'a b', operation: 'PutObject', code: 'AccessDenied' }
  finish(watch, request, outcome(403, { ...logFields, reason: 'The clock.' }))
  finish(watch, { ...request, id: 'fine' }, outcome(200, logFields))
  finish(watch, { ...request, id: 'unchanged' }, outcome(304, logFields))
  finish(watch, { ...request, id: 'absent' }, outcome(404, { ...logFields, code: 'NoSuchKey' }))
  watch.onRefuse({
    fault: 'malformed',
    ...{ requestId: 'REFUSED', remoteAddress: '203.0.113.9' },
    reply: { status: 400, headers: [], logFields: { code: 'BadRequest', reason: 'no HTTP' } },
  })
  const [refused, failed, ...others] = await listed(watch)
  assert.deepEqual(others, [])
  assert.deepEqual(failed, {
    ...{
      at: '2023-11-14T22:13:20.001Z',
      requestId: '0123456789ABCDEF',
      method: 'PUT',
      ...logFields,
    },
    ...{ status: 403, reason: 'The clock.', remoteAddress: '198.51.100.7' },
    ...{ isFailure: true, by: 'owner', accessKey: null, action: null, more: 0 },
  })
  assert.deepEqual(
    [refused?.requestId, refused?.method, refused?.reason, refused?.remoteAddress, refused?.key],
    ['REFUSED', '', 'no HTTP', '203.0.113.9', null],
  )
  assert.doesNotMatch(JSON.stringify([refused, failed]), /hush/)
})

test('Without a dashboard no failures are recorded', async () => {
  const written: Statement[] = []
  const database = {
    write: async (statements: readonly Statement[]) => void written.push(...statements),
  } as unknown as Database
  const watch = new ActivityWatch({
    ...{ settings: { ...settings, dashboardPassword: undefined }, buckets, database },
  })
  finish(watch, requestOf('GET', '/files'), outcome(500))
  await watch.close()
  assert.deepEqual(written, [])
})

test("The dashboard's own requests are not kept, unless their signature was not verified", async (t) => {
  const watch = new ActivityWatch({ settings, buckets, database: await openTestDatabase(t) })
  t.after(() => watch.close())
  const signed = { bucket: 'files', operation: 'PutObject', code: 'EntityTooLarge' }
  for (const [id, target, logFields] of [
    ['own', '/files/a?X-Amz-Date=1&x-id=Dashboard&X-Amz-Signature=hush', signed],
    ['client', '/files/a?x-id=PutObject', signed],
    ['forged', '/files/a?x-id=Dashboard', { bucket: 'files', code: 'AccessDenied' }],
    ['unsigned', '/files/a?x-id=Dashboard', { ...signed, anonymous: true }],
    ['key', '/files/a?x-id=Dashboard', { ...signed, accessKey: 'photo frame' }],
    ['bearer', '/files/a', { ...signed, session: true }],
    ['api', '/-/api/presign', { operation: 'presign' }],
    ['page', '/-/files', { operation: 'webApp' }],
    ['health', '/-/healthz', undefined],
    ['login', '/auth/login', { operation: 'login' }],
    ['session', '/auth/session', { operation: 'session' }],
    ['models', '/v1/models', { operation: 'models' }],
  ] as const) {
    finish(watch, { ...requestOf('PUT', target), id }, outcome(400, logFields))
  }
  const kept = (await listed(watch)).map(({ requestId }) => requestId)
  assert.deepEqual(kept.sort(), [
    'client',
    'forged',
    'health',
    'key',
    'login',
    'models',
    'unsigned',
  ])
})

test('Cleared failures stay cleared, also those that another worker writes later', async (t) => {
  const database = await openTestDatabase(t)
  const [here, there] = [1, 2].map(() => new ActivityWatch({ settings, buckets, database }))
  assert.ok(here !== undefined && there !== undefined)
  t.after(() => Promise.all([here.close(), there.close()]))
  const fail = (watch: ActivityWatch, id: string, receivedAtMs = Date.now()) =>
    finish(watch, { ...requestOf('GET', '/files'), id, receivedAtMs }, outcome(403))
  const ids = async () => (await listed(here)).map(({ requestId }) => requestId)
  fail(here, 'written', Date.now() - 10)
  assert.deepEqual(await ids(), ['written'])
  fail(here, 'mine', Date.now() - 10)
  fail(there, 'of another', Date.now() - 10)
  await here.clear()
  await listed(there)
  assert.deepEqual(await ids(), [])
  fail(there, 'new', Date.now() + 10)
  await listed(there)
  assert.deepEqual(await ids(), ['new'])
})

test('Changes are recorded with who made them, and what only reads or asks is not', async (t) => {
  const watch = new ActivityWatch({ settings, buckets, database: await openTestDatabase(t) })
  t.after(() => watch.close())
  const put = { bucket: 'files', key: 'a', operation: 'PutObject' }
  for (const [id, method, target, logFields] of [
    ['owner', 'PUT', '/files/a?X-Amz-Signature=hush', put],
    ['app', 'PUT', '/files/a', { ...put, accessKey: 'photo frame' }],
    ['anyone', 'POST', '/files', { ...put, operation: 'PostObject', anonymous: true }],
    ['own', 'PUT', '/files/a?x-id=Dashboard', put],
    ['posing', 'PUT', '/files/a?x-id=Dashboard', { ...put, accessKey: 'photo frame' }],
    ['bucket', 'PATCH', '/-/api/buckets/my%20files', { operation: 'changeBucket' }],
    ['odd', 'PATCH', '/-/api/buckets/%ff', { operation: 'changeBucket' }],
    ['key', 'DELETE', '/-/api/keys/AKIA1', { operation: 'revokeKey' }],
    ['secret', 'DELETE', '/-/api/shares/hush', { operation: 'removeShare' }],
    ['login', 'POST', '/auth/login', { operation: 'login' }],
    ['read', 'GET', '/files/a', { ...put, operation: 'GetObject' }],
    ['part', 'PUT', '/files/a', { ...put, operation: 'UploadPart' }],
    ['asks', 'POST', '/-/api/presign', { operation: 'presign' }],
    ['model', 'POST', '/v1/chat/completions', { operation: 'createChatCompletion' }],
    ['page', 'POST', '/-/files', {}],
  ] as const) {
    finish(watch, { ...requestOf(method, target), id }, outcome(204, logFields))
  }
  const changes = await listed(watch, ['change'])
  assert.deepEqual(await listed(watch, ['failure', 'own']), [])
  assert.deepEqual(
    changes
      .map(({ requestId, by, accessKey, bucket, key }) => [requestId, by, accessKey, bucket, key])
      .sort(),
    [
      ['anyone', 'anyone', null, 'files', 'a'],
      ['app', 'key', 'photo frame', 'files', 'a'],
      ['bucket', 'dashboard', null, 'my files', null],
      ['key', 'dashboard', null, null, 'AKIA1'],
      ['login', null, null, null, null],
      ['odd', 'dashboard', null, '%ff', null],
      ['own', 'dashboard', null, 'files', 'a'],
      ['owner', 'owner', null, 'files', 'a'],
      ['posing', 'key', 'photo frame', 'files', 'a'],
      ['secret', 'dashboard', null, null, null],
    ],
  )
  assert.doesNotMatch(JSON.stringify(changes), /hush/)
})

test("Failures of the dashboard's changes are kept apart, and what it only read is not kept", async (t) => {
  const watch = new ActivityWatch({ settings, buckets, database: await openTestDatabase(t) })
  t.after(() => watch.close())
  const logFields = { bucket: 'files', key: 'a', operation: 'PutObject', code: 'AccessDenied' }
  const own = '/files/a?x-id=Dashboard'
  finish(watch, { ...requestOf('PUT', own), id: 'put' }, outcome(403, logFields))
  finish(watch, { ...requestOf('GET', own), id: 'get' }, outcome(403, logFields))
  const expired = { operation: 'changeBucket' }
  finish(watch, { ...requestOf('PATCH', '/-/api/buckets/a'), id: 'out' }, outcome(401, expired))
  assert.deepEqual(await listed(watch, ['failure', 'change']), [])
  const ids = (await listed(watch, ['own'])).map(({ requestId }) => requestId)
  assert.deepEqual(ids, ['put'])
})

test('A visitor of a share is nobody who is known, and only an upload of one is a change', async (t) => {
  const watch = new ActivityWatch({ settings, buckets, database: await openTestDatabase(t) })
  t.after(() => watch.close())
  const logFields = { operation: 'share', share: 'id', bucket: 'files', key: 'in/' }
  finish(watch, { ...requestOf('PUT', '/-/s/token/a'), id: 'sent' }, outcome(201, logFields))
  finish(watch, { ...requestOf('POST', '/-/s/token/unlock'), id: 'in' }, outcome(303, logFields))
  finish(watch, { ...requestOf('POST', '/-/s/token/unlock'), id: 'no' }, outcome(403, logFields))
  const noted = (await listed(watch, ['change', 'own'])).map(({ requestId, by }) => [requestId, by])
  assert.deepEqual(noted.sort(), [
    ['no', 'anyone'],
    ['sent', 'anyone'],
  ])
})

test('What the dashboard signs or tries is no change', async (t) => {
  const watch = new ActivityWatch({ settings, buckets, database: await openTestDatabase(t) })
  t.after(() => watch.close())
  for (const operation of ['orderArchive', 'tryChatCompletion', 'tryMessage']) {
    const request = { ...requestOf('POST', '/-/api/calls/messages'), id: operation }
    finish(watch, request, outcome(200, { operation }))
  }
  const change = { ...requestOf('POST', '/-/api/shares'), id: 'made' }
  finish(watch, change, outcome(201, { operation: 'createShare' }))
  const noted = await listed(watch, ['change', 'own'])
  assert.deepEqual(
    noted.map(({ requestId }) => requestId),
    ['made'],
  )
})
