import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Outcome } from '../../../src/http/exchange.ts'
import type { Database, Statement } from '../../../src/state/database.ts'
import { FailureWatch } from '../../../src/wiring/failure-watch.ts'
import { openTestDatabase } from '../console/management/management-fixture.ts'
import { requestOf } from './request-of.ts'

const settings = {
  allowedBuckets: ['files'],
  trustProxy: ['192.0.2.1'],
  dashboardPassword: 'open sesame' as string | undefined,
}

const outcome = (status: number, facts: Outcome['facts'] = {}): Outcome => ({
  ...{ status, facts, bytesReceived: 1, bytesSent: 1, durationMs: 1, isAborted: false },
})

test('Failed requests are kept with what their reply knows, and no query', async (t) => {
  const watch = new FailureWatch({ settings, database: await openTestDatabase(t) })
  t.after(() => watch.close())
  const request = {
    ...requestOf('PUT', '/files/a%20b?X-Amz-Signature=hush'),
    headers: { 'x-forwarded-for': '198.51.100.7', authorization: 'hush' },
    receivedAtMs: 1_700_000_000_000,
  }
  const facts = { bucket: 'files', key: 'a b', operation: 'PutObject', code: 'AccessDenied' }
  watch.onFinish(request, outcome(403, { ...facts, reason: 'The clock.' }))
  watch.onFinish({ ...request, id: 'fine' }, outcome(200, facts))
  watch.onFinish({ ...request, id: 'unchanged' }, outcome(304, facts))
  watch.onFinish({ ...request, id: 'absent' }, outcome(404, { ...facts, code: 'NoSuchKey' }))
  watch.onRefuse({
    fault: 'malformed',
    ...{ requestId: 'REFUSED', remoteAddress: '203.0.113.9' },
    reply: { status: 400, headers: [], facts: { code: 'BadRequest', reason: 'no HTTP' } },
  })
  const [refused, failed, ...others] = await watch.latest()
  assert.deepEqual(others, [])
  assert.deepEqual(failed, {
    ...{ at: '2023-11-14T22:13:20.000Z', requestId: '0123456789ABCDEF', method: 'PUT', ...facts },
    ...{ status: 403, reason: 'The clock.', remoteAddress: '198.51.100.7' },
  })
  assert.deepEqual(
    [refused?.requestId, refused?.method, refused?.reason, refused?.remoteAddress, refused?.key],
    ['REFUSED', '', 'no HTTP', '203.0.113.9', null],
  )
  assert.doesNotMatch(JSON.stringify([refused, failed]), /hush/)
})

test('Without a dashboard nothing is kept', async () => {
  const written: Statement[] = []
  const database = {
    write: async (statements: readonly Statement[]) => void written.push(...statements),
  } as unknown as Database
  const watch = new FailureWatch({
    ...{ settings: { ...settings, dashboardPassword: undefined }, database },
  })
  watch.onFinish(requestOf('GET', '/files'), outcome(500))
  await watch.close()
  assert.deepEqual(written, [])
})
