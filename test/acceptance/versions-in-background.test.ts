/** What happens to former versions besides the requests for them: counts, quota, lifecycle rules, events, the trash. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startEventReceiver } from '../support/event-receiver.ts'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket } from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient, until } from '../support/management-client.ts'
import { answer } from '../support/wire-case.ts'

async function open(t: TestContext, settings: Readonly<Record<string, string>> = {}) {
  const gateway = await startGatewayInProcess(t, {
    ...{ DASHBOARD_PASSWORD: dashboardPassword, BUCKET_CREATION: 'on', ...settings },
  })
  const send = (method: string, path: string, body?: string, status = 200) =>
    answer(gateway, {
      ...{ title: `${method} ${path}`, method, target: `/${testBucket}${path}`, status },
      ...(body !== undefined && { body }),
      ...(status === 403 && { code: 'QuotaExceeded' }),
    })
  const setVersions = (status: string) =>
    send(
      'PUT',
      '?versioning',
      `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`,
    )
  const setRule = (action: string) =>
    send(
      'PUT',
      '?lifecycle',
      `<LifecycleConfiguration><Rule><ID>r</ID><Filter/><Status>Enabled</Status>${action}</Rule></LifecycleConfiguration>`,
    )
  /** The newest first; a marker has no size. */
  const versions = async () => {
    const cursor = gateway.drive.listVersions?.(testBucket, { prefix: '', after: '' })
    return ((await cursor?.next(100)) ?? []).map((entry) => {
      if (entry.kind === 'folder') return entry.key
      return `${entry.key} ${entry.isDeleteMarker ? 'marker' : entry.size}`
    })
  }
  const client = await ManagementClient.signIn(gateway.url)
  const bucket = async () => {
    const { buckets } = await client.done('GET', '/buckets')
    return buckets.find(({ name }: { name: string }) => name === testBucket)
  }
  return { gateway, client, send, setVersions, setRule, versions, bucket }
}

const past = '<Expiration><Date>2020-01-01T00:00:00Z</Date></Expiration>'

test('former versions are counted separately, and fill the quota', async (t) => {
  const { client, send, setVersions, bucket } = await open(t)
  await client.done('POST', `/buckets/${testBucket}/count`)
  await until(async () => (await bucket()).bytes !== null)
  assert.equal((await bucket()).formerVersions, null)
  await setVersions('Enabled')
  for (const size of [40, 50]) await send('PUT', '/k', 'x'.repeat(size))
  await send('DELETE', '/gone', undefined, 204)
  await client.done('PATCH', `/buckets/${testBucket}`, { quotaBytes: 100 })
  await client.done('POST', `/buckets/${testBucket}/count`)
  await until(async () => (await bucket()).formerVersions !== null)
  const { objects, bytes, formerVersions } = await bucket()
  assert.deepEqual([objects, bytes, formerVersions], [1, 50, { count: 1, bytes: 40 }])
  await send('PUT', '/other', 'x'.repeat(11), 403)
  await send('PUT', '/other', 'x'.repeat(10))
})

test('lifecycle rules make delete markers, remove lonely ones, and tell receivers', async (t) => {
  const receiver = await startEventReceiver(t)
  const { gateway, send, setVersions, setRule, versions, bucket } = await open(t, receiver.settings)
  await setVersions('Enabled')
  await send('PUT', '/k', 'xyz')
  await setRule(past)
  await until(async () => {
    await gateway.expire()
    return (await versions()).length === 2
  })
  assert.deepEqual(await versions(), ['k marker', 'k 3'])
  await until(() => receiver.records.length >= 2)
  assert.equal(receiver.names().at(-1), 'LifecycleExpiration:DeleteMarkerCreated k')
  const [created, marked] = receiver.records.map(({ s3 }) => s3.object.versionId)
  assert.ok(created !== undefined && marked !== undefined && created !== marked)
  await gateway.drive.remove(testBucket, 'k', { versionId: created })
  // Another rule, so that the bucket is due again.
  await setRule(past.replace('2020', '2021'))
  await until(async () => {
    await gateway.expire()
    return (await versions()).length === 0
  })
  await until(() => receiver.records.length >= 3)
  assert.equal(receiver.names().at(-1), 'LifecycleExpiration:Delete k')
  assert.equal(receiver.records.at(-1)?.s3.object.versionId, marked)
  const { objects, versions: removed, failures } = (await bucket()).lastExpiry
  assert.deepEqual([objects, removed, failures], [0, 1, 0])
})

test('rules for versions are stored and have no effect where there never were any', async (t) => {
  const { gateway, send, setRule, versions } = await open(t)
  await send('PUT', '/k', 'xyz')
  await setRule(
    '<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>' +
      '<NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays></NoncurrentVersionExpiration>',
  )
  const { text } = await send('GET', '?lifecycle')
  assert.match(text, /<NoncurrentDays>1</)
  await gateway.expire()
  assert.deepEqual(await versions(), ['k 3'])
  const { headers } = await send('GET', '/k')
  assert.equal(headers.get('x-amz-expiration'), null)
})

test('requests and the dashboard tell receivers of markers, with their IDs', async (t) => {
  const receiver = await startEventReceiver(t)
  const { client, send, setVersions, versions } = await open(t, receiver.settings)
  await send('PUT', '/f/before', 'x')
  await setVersions('Enabled')
  await send('PUT', '/f/a', 'x')
  await send('PUT', '/b', 'x')
  await send('DELETE', '/b', undefined, 204)
  const reply = await client.done('POST', '/file-jobs', {
    ...{ action: 'trash', bucket: testBucket, paths: ['f/'] },
  })
  assert.equal(reply.trashId, null)
  await until(() => receiver.records.length >= 6)
  assert.deepEqual(receiver.names().sort(), [
    'ObjectCreated:Put b',
    'ObjectCreated:Put f/a',
    'ObjectCreated:Put f/before',
    'ObjectRemoved:DeleteMarkerCreated b',
    'ObjectRemoved:DeleteMarkerCreated f/a',
    'ObjectRemoved:DeleteMarkerCreated f/before',
  ])
  const unversioned = receiver.records.filter(({ s3 }) => s3.object.versionId === undefined)
  assert.deepEqual(
    unversioned.map(({ s3 }) => s3.object.key),
    ['f/before'],
  )
  assert.deepEqual(await versions(), [
    ...['b marker', 'b 1', 'f/a marker', 'f/a 1'],
    ...['f/before marker', 'f/before 1'],
  ])
  const { items } = await client.done('GET', `/trash?bucket=${testBucket}`)
  assert.deepEqual(items, [])
})
