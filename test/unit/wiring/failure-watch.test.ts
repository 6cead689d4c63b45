import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Outcome } from '../../../src/http/exchange.ts'
import type { Database, Statement } from '../../../src/state/database.ts'
import { FailureWatch } from '../../../src/wiring/failure-watch.ts'
import { servedBuckets } from '../../support/served-buckets.ts'
import { openTestDatabase } from '../console/management/management-fixture.ts'
import { requestOf } from './request-of.ts'

const buckets = servedBuckets(['files'])
const settings = {
  trustProxy: ['192.0.2.1'],
  dashboardPassword: 'open sesame' as string | undefined,
}

const outcome = (status: number, logFields: Outcome['logFields'] = {}): Outcome => ({
  ...{ status, logFields, bytesReceived: 1, bytesSent: 1, durationMs: 1, isAborted: false },
})

test('Failed requests are recorded with the fields of their reply, and without the query', async (t) => {
  const watch = new FailureWatch({ settings, buckets, database: await openTestDatabase(t) })
  t.after(() => watch.close())
  const request = {
    ...requestOf('PUT', '/files/a%20b?X-Amz-Signature=hush'),
    headers: { 'x-forwarded-for': '198.51.100.7', authorization: 'hush' },
    receivedAtMs: 1_700_000_000_000,
  }
  const logFields = { bucket: 'files', key: 'a b', operation: 'PutObject', code: 'AccessDenied' }
  watch.onFinish(request, outcome(403, { ...logFields, reason: 'The clock.' }))
  watch.onFinish({ ...request, id: 'fine' }, outcome(200, logFields))
  watch.onFinish({ ...request, id: 'unchanged' }, outcome(304, logFields))
  watch.onFinish({ ...request, id: 'absent' }, outcome(404, { ...logFields, code: 'NoSuchKey' }))
  watch.onRefuse({
    fault: 'malformed',
    ...{ requestId: 'REFUSED', remoteAddress: '203.0.113.9' },
    reply: { status: 400, headers: [], logFields: { code: 'BadRequest', reason: 'no HTTP' } },
  })
  const [refused, failed, ...others] = await watch.latest()
  assert.deepEqual(others, [])
  assert.deepEqual(failed, {
    ...{
      at: '2023-11-14T22:13:20.001Z',
      requestId: '0123456789ABCDEF',
      method: 'PUT',
      ...logFields,
    },
    ...{ status: 403, reason: 'The clock.', remoteAddress: '198.51.100.7' },
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
  const watch = new FailureWatch({
    ...{ settings: { ...settings, dashboardPassword: undefined }, buckets, database },
  })
  watch.onFinish(requestOf('GET', '/files'), outcome(500))
  await watch.close()
  assert.deepEqual(written, [])
})

test("The dashboard's own requests are not kept, unless their signature was not verified", async (t) => {
  const watch = new FailureWatch({ settings, buckets, database: await openTestDatabase(t) })
  t.after(() => watch.close())
  const signed = { bucket: 'files', operation: 'PutObject', code: 'EntityTooLarge' }
  for (const [id, target, logFields] of [
    ['own', '/files/a?X-Amz-Date=1&x-id=Dashboard&X-Amz-Signature=hush', signed],
    ['client', '/files/a?x-id=PutObject', signed],
    ['forged', '/files/a?x-id=Dashboard', { bucket: 'files', code: 'AccessDenied' }],
    ['unsigned', '/files/a?x-id=Dashboard', { ...signed, anonymous: true }],
    ['api', '/-/api/presign', { operation: 'presign' }],
    ['page', '/-/files', { operation: 'webApp' }],
    ['health', '/-/healthz', undefined],
    ['login', '/auth/login', { operation: 'login' }],
    ['session', '/auth/session', { operation: 'session' }],
    ['models', '/v1/models', { operation: 'models' }],
  ] as const) {
    watch.onFinish({ ...requestOf('PUT', target), id }, outcome(400, logFields))
  }
  const kept = (await watch.latest()).map(({ requestId }) => requestId)
  assert.deepEqual(kept.sort(), ['client', 'forged', 'health', 'login', 'models', 'unsigned'])
})

test('Cleared failures stay cleared, also those that another worker writes later', async (t) => {
  const database = await openTestDatabase(t)
  const [here, there] = [1, 2].map(() => new FailureWatch({ settings, buckets, database }))
  assert.ok(here !== undefined && there !== undefined)
  t.after(() => Promise.all([here.close(), there.close()]))
  const fail = (watch: FailureWatch, id: string, receivedAtMs = Date.now()) =>
    watch.onFinish({ ...requestOf('GET', '/files'), id, receivedAtMs }, outcome(403))
  const ids = async () => (await here.latest()).map(({ requestId }) => requestId)
  fail(here, 'written', Date.now() - 10)
  assert.deepEqual(await ids(), ['written'])
  fail(here, 'mine', Date.now() - 10)
  fail(there, 'of another', Date.now() - 10)
  await here.clear()
  await there.latest()
  assert.deepEqual(await ids(), [])
  fail(there, 'new', Date.now() + 10)
  await there.latest()
  assert.deepEqual(await ids(), ['new'])
})
