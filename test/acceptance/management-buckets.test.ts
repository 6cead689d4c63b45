/** Buckets made, published and removed over /-/api/buckets, and what S3 clients see of it. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket } from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient } from '../support/management-client.ts'
import { answer, type WireCase } from '../support/wire-case.ts'

async function start(t: TestContext) {
  const gateway = await startGatewayInProcess(t, {
    ...{ DASHBOARD_PASSWORD: dashboardPassword, ALLOWED_BUCKETS: `${testBucket},open` },
    PUBLIC_READ_BUCKETS: 'open',
  })
  const management = await ManagementClient.signIn(gateway.url)
  return {
    management,
    ask: (wireCase: Omit<WireCase, 'title'>) => answer(gateway, { title: '', ...wireCase }),
  }
}

test('a bucket is created and removed, although S3 clients may not', async (t) => {
  const { management, ask } = await start(t)
  const made = await management.send('POST', '/buckets', { name: 'made' })
  assert.equal(made.status, 201)
  const { name, source, isPublic, isPublicFromEnvironment, createdAt } = made.body
  assert.deepEqual(
    [name, source, isPublic, isPublicFromEnvironment],
    ['made', 'created', false, false],
  )
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000)
  const { creation, buckets } = await management.done('GET', '/buckets')
  assert.equal(creation, 'off')
  assert.deepEqual(
    buckets.map((bucket: { name: string; source: string }) => [bucket.name, bucket.source]),
    [
      [testBucket, 'environment'],
      ['open', 'environment'],
      ['made', 'created'],
    ],
  )
  await ask({ method: 'PUT', target: '/made/key', body: 'x', status: 200 })
  await ask({ method: 'DELETE', target: '/made', status: 405, code: 'MethodNotAllowed' })
  const refused = await management.send('DELETE', '/buckets/made')
  assert.equal(refused.status, 409)
  assert.match(refused.body.message, /made/)
  await ask({ method: 'DELETE', target: '/made/key', status: 204 })
  assert.equal((await management.send('DELETE', '/buckets/made')).status, 204)
  assert.equal((await management.send('DELETE', '/buckets/made')).status, 404)
  await ask({ method: 'GET', target: '/made', status: 403, code: 'AccessDenied' })
})

test('what cannot be created or removed', async (t) => {
  const { management } = await start(t)
  for (const [method, path, body, status, message] of [
    ['POST', '/buckets', { name: 'No' }, 400, /not valid/],
    ['POST', '/buckets', { name: 'auth' }, 400, /not valid/],
    ['POST', '/buckets', { name: testBucket }, 409, /exists/],
    ['POST', '/buckets', {}, 400, /./],
    ['DELETE', `/buckets/${testBucket}`, undefined, 409, /ALLOWED_BUCKETS/],
    ['DELETE', '/buckets/none', undefined, 404, /not exist/],
    ['PATCH', '/buckets/open', { isPublic: false }, 409, /PUBLIC_READ_BUCKETS/],
    ['PATCH', '/buckets/none', { isPublic: true }, 404, /not exist/],
  ] as const) {
    const reply = await management.send(method, path, body)
    assert.equal(reply.status, status, `${method} ${path} ${reply.text}`)
    assert.match(reply.body.message, message)
  }
})

test('a bucket is made public and private again', async (t) => {
  const { management, ask } = await start(t)
  await management.done('POST', '/buckets', { name: 'made' })
  for (const bucket of ['made', testBucket]) {
    const target = `/${bucket}/key`
    const read = { method: 'GET', target, isUnsigned: true }
    const denied = { status: 403, code: 'AccessDenied' }
    await ask({ method: 'PUT', target, body: 'x', status: 200 })
    await ask({ ...read, ...denied })
    const changed = await management.done('PATCH', `/buckets/${bucket}`, { isPublic: true })
    assert.deepEqual([changed.isPublic, changed.isPublicFromEnvironment], [true, false])
    await ask({ ...read, status: 200, text: 'x' })
    await ask({ ...read, target: `/${bucket}`, status: 200 })
    await ask({ ...read, method: 'PUT', ...denied })
    await management.done('PATCH', `/buckets/${bucket}`, { isPublic: false })
    await ask({ ...read, ...denied })
  }
})

test('a successor of a public bucket is private', async (t) => {
  const { management, ask } = await start(t)
  await management.done('POST', '/buckets', { name: 'made' })
  await management.done('PATCH', '/buckets/made', { isPublic: true })
  await ask({ method: 'GET', target: '/made', isUnsigned: true, status: 200 })
  await management.done('DELETE', '/buckets/made')
  await management.done('POST', '/buckets', { name: 'made' })
  await ask({ method: 'GET', target: '/made', isUnsigned: true, status: 403, code: 'AccessDenied' })
})
