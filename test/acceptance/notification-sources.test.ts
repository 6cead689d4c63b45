/** Every way that objects change has its events, and gateways without a target have no cost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startEventReceiver } from '../support/event-receiver.ts'
import { type GatewayInProcess, startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket, testCredentials } from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient, until } from '../support/management-client.ts'
import { formRequest } from '../support/post-form.ts'
import { answer, exchange } from '../support/wire-case.ts'

const object = (key: string) => `/${testBucket}/${key}`

async function put(gateway: GatewayInProcess, key: string): Promise<void> {
  await answer(gateway, { title: key, method: 'PUT', target: object(key), body: 'x', status: 200 })
}

test('a form of a browser has its event', async (t) => {
  const receiver = await startEventReceiver(t)
  const settings = { COMPATIBILITY: 'aws', NOTIFY_OBJECTS: '*', ...receiver.settings }
  const gateway = await startGatewayInProcess(t, settings)
  const form = { bucket: testBucket, fields: [['key', 'from a form']] as const, file: 'bytes' }
  const request = { ...formRequest({ ...form, fields: [...form.fields] }, testCredentials) }
  await answer(gateway, { title: 'form', ...request, isUnsigned: true, status: 204 })
  await until(() => receiver.records.length > 0)
  assert.deepEqual(receiver.names(), ['ObjectCreated:Post from+a+form'])
  assert.equal(receiver.records[0]?.s3.object.size, 5)
})

test('changes of the dashboard have their events', async (t) => {
  const receiver = await startEventReceiver(t)
  const settings = { DASHBOARD_PASSWORD: dashboardPassword, ...receiver.settings }
  const gateway = await startGatewayInProcess(t, settings)
  const client = await ManagementClient.signIn(gateway.url)
  const send = async (method: string, key: string, query: Record<string, string> = {}) => {
    const asked = { method, bucket: testBucket, key, query: { 'x-id': 'Dashboard', ...query } }
    const { url } = await client.done('POST', '/presign', asked)
    const reply = await fetch(url, { method, ...(method === 'PUT' && { body: 'x' }) })
    assert.ok(reply.ok, await reply.text())
  }
  await send('PUT', 'f/uploaded')
  const done = async (body: object) => {
    const { id } = await client.done('POST', '/file-jobs', { bucket: testBucket, ...body })
    await until(async () => (await client.done('GET', `/file-jobs/${id}`)).state === 'done')
  }
  const to = { bucket: testBucket, prefix: 'f/', name: 'renamed' }
  await done({ action: 'move', paths: ['f/uploaded'], to })
  await put(gateway, 'f/more')
  await done({ action: 'delete', paths: ['f/'] })
  await until(() => receiver.records.length >= 6)
  assert.deepEqual(receiver.names().sort(), [
    'ObjectCreated:Copy f/renamed',
    'ObjectCreated:Put f/more',
    'ObjectCreated:Put f/uploaded',
    'ObjectRemoved:Delete f/more',
    'ObjectRemoved:Delete f/renamed',
    'ObjectRemoved:Delete f/uploaded',
  ])
  // Receivers find repeated events by it, also where there was no request.
  for (const { responseElements } of receiver.records) {
    assert.notEqual(responseElements['x-amz-request-id'], '')
  }
})

test('what lifecycle rules remove has its events', async (t) => {
  const receiver = await startEventReceiver(t)
  const settings = { BUCKET_CREATION: 'on', ...receiver.settings }
  const gateway = await startGatewayInProcess(t, settings)
  await put(gateway, 'old/one')
  await put(gateway, 'new/one')
  const body =
    '<LifecycleConfiguration><Rule><ID>old</ID><Filter><Prefix>old/</Prefix></Filter><Status>Enabled</Status><Expiration><Date>2020-01-01T00:00:00Z</Date></Expiration></Rule></LifecycleConfiguration>'
  const rule = { method: 'PUT', target: `/${testBucket}?lifecycle`, body, status: 200 }
  await answer(gateway, { title: 'rule', ...rule })
  await until(async () => {
    await gateway.expire()
    return receiver.records.length >= 3
  })
  assert.equal(receiver.names().at(-1), 'LifecycleExpiration:Delete old/one')
  assert.equal(receiver.records.at(-1)?.userIdentity.principalId, 's3.amazonaws.com')
})

test('changes that do not happen have none', async (t) => {
  const receiver = await startEventReceiver(t)
  const gateway = await startGatewayInProcess(t, receiver.settings)
  await put(gateway, 'there')
  const wrong = { 'if-match': '"00000000000000000000000000000000"' }
  const exists = { 'if-none-match': '*' }
  for (const [method, key, headers, status] of [
    ['PUT', 'there', exists, 412],
    ['PUT', 'there', wrong, 412],
    ['PUT', 'absent', wrong, 404],
    ['DELETE', 'absent', {}, 404],
    ['PUT', 'bad', { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' }, 400],
    ['PUT', 'copy', { 'x-amz-copy-source': object('absent') }, 404],
  ] as const) {
    const body = method === 'PUT' && !('x-amz-copy-source' in headers) ? { body: 'y' } : {}
    const { status: got } = await exchange(gateway, {
      ...{ method, target: object(key), headers, ...body },
    })
    assert.equal(got, status, `${method} ${key}`)
  }
  await put(gateway, 'last')
  await until(() => receiver.records.length >= 2)
  assert.deepEqual(receiver.names(), ['ObjectCreated:Put there', 'ObjectCreated:Put last'])
})

test('twenty changes of a key at once have as many events, in an order of their own', async (t) => {
  const receiver = await startEventReceiver(t)
  const gateway = await startGatewayInProcess(t, receiver.settings)
  const warnings: Error[] = []
  const onWarning = (warning: Error) => warnings.push(warning)
  process.on('warning', onWarning)
  t.after(() => process.off('warning', onWarning))
  await Promise.all(Array.from({ length: 20 }, () => put(gateway, 'k')))
  await until(() => receiver.records.length >= 20)
  const sequencers = receiver.records.map(({ s3 }) => s3.object.sequencer)
  assert.deepEqual(sequencers, sequencers.toSorted())
  assert.equal(new Set(sequencers).size, 20)
  assert.deepEqual(warnings, [])
})

test('without a target, changes write nothing to the database', async (t) => {
  const writesOf = async (gateway: GatewayInProcess) => {
    const reply = await fetch(`${gateway.url}/-/metrics`, {
      headers: { authorization: 'Bearer a-token-of-this-test' },
    })
    const name = 'bucketry_database_call_duration_seconds_count{engine="sqlite",call="write"} '
    const text = await reply.text()
    return Number(text.split(name)[1]?.split('\n')[0] ?? 0)
  }
  const countFor = async (settings: Readonly<Record<string, string>>) => {
    const gateway = await startGatewayInProcess(t, {
      ...{ METRICS_TOKEN: 'a-token-of-this-test', ...settings },
    })
    for (const key of ['a', 'b', 'c']) await put(gateway, key)
    await answer(gateway, { title: 'a', method: 'DELETE', target: object('a'), status: 204 })
    return await writesOf(gateway)
  }
  assert.equal(await countFor({}), 0)
  const receiver = await startEventReceiver(t)
  assert.ok((await countFor(receiver.settings)) >= 8)
})
