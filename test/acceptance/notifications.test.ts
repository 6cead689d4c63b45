import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { Redis } from 'ioredis'
import { startEventReceiver } from '../support/event-receiver.ts'
import { freePort } from '../support/free-port.ts'
import { type GatewayInProcess, startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { giveOwnEtags } from '../support/own-etags.ts'
import { startRedis } from '../support/start-redis.ts'
import { UnorderedUpload } from '../support/unordered-upload.ts'
import { answer, exchange } from '../support/wire-case.ts'

const object = (key: string) => `/${testBucket}/${key}`

async function put(gateway: GatewayInProcess, key: string, body = 'text'): Promise<void> {
  const { status, text } = await exchange(gateway, { method: 'PUT', target: object(key), body })
  assert.equal(status, 200, text)
}

test('each kind of change is sent', async (t) => {
  const receiver = await startEventReceiver(t)
  const gateway = await startGatewayInProcess(t, receiver.settings)
  await put(gateway, 'a%20b/%C3%BC')
  const copied = { 'x-amz-copy-source': object('a%20b/%C3%BC') }
  const copy = { method: 'PUT', target: object('copy'), headers: copied }
  await answer(gateway, { title: 'copy', ...copy, status: 200 })
  const created = await exchange(gateway, { method: 'POST', target: `${object('parts')}?uploads` })
  const uploadId = /<UploadId>([^<]+)/.exec(created.text)?.[1] ?? ''
  const part = `${object('parts')}?partNumber=1&uploadId=${uploadId}`
  const sent = await exchange(gateway, { method: 'PUT', target: part, body: 'part' })
  const parts = `<Part><PartNumber>1</PartNumber><ETag>${sent.headers.get('etag')}</ETag></Part>`
  const body = `<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`
  const complete = { method: 'POST', target: `${object('parts')}?uploadId=${uploadId}`, body }
  await answer(gateway, { title: 'complete', ...complete, status: 200 })
  await answer(gateway, { title: 'delete', method: 'DELETE', target: object('copy'), status: 204 })
  const list =
    '<Delete><Object><Key>parts</Key></Object><Object><Key>absent</Key></Object></Delete>'
  const headers = { 'content-md5': hash('md5', list, 'base64') }
  const deletion = { method: 'POST', target: `/${testBucket}?delete`, headers, body: list }
  await answer(gateway, { title: 'delete several', ...deletion, status: 200 })
  await until(() => receiver.records.length >= 5)
  const expected = [
    'ObjectCreated:CompleteMultipartUpload parts',
    'ObjectCreated:Copy copy',
    'ObjectCreated:Put a+b/%C3%BC',
    'ObjectRemoved:Delete copy',
    'ObjectRemoved:Delete parts',
  ]
  assert.deepEqual(receiver.names().sort(), expected)
  const { size, eTag } = receiver.records.find(({ eventName }) => eventName.endsWith(':Put'))?.s3
    .object ?? { size: 0 }
  assert.deepEqual({ size, eTag }, { size: 4, eTag: hash('md5', 'text') })
})

test('Complete answers and sends the ETag of the drive, also if it is not that of the parts', async (t) => {
  const receiver = await startEventReceiver(t)
  const gateway = await startGatewayInProcess(t, receiver.settings)
  giveOwnEtags(gateway.drive)
  const target = object('parts')
  const upload = await UnorderedUpload.begin(gateway, target)
  await upload.put(gateway, 1, Buffer.from('part'))
  const answers = [await upload.complete(gateway), await upload.complete(gateway)]
  for (const { text } of answers) assert.match(text, /<ETag>"of the store"<\/ETag>/)
  const head = { title: 'head', method: 'HEAD', target, status: 200 }
  assert.equal((await answer(gateway, head)).headers.get('etag'), '"of the store"')
  await until(() => receiver.records.length > 0)
  assert.equal(receiver.records[0]?.s3.object.eTag, 'of the store')
})

test('a receiver that fails gets the events of a key again, in their order', async (t) => {
  const receiver = await startEventReceiver(t, [500, 302])
  const gateway = await startGatewayInProcess(t, receiver.settings)
  await put(gateway, 'k')
  await answer(gateway, { title: 'delete', method: 'DELETE', target: object('k'), status: 204 })
  await until(() => receiver.records.length >= 2)
  assert.deepEqual(receiver.names(), ['ObjectCreated:Put k', 'ObjectRemoved:Delete k'])
  assert.equal(receiver.refused(), 2)
  const told = gateway.lines.filter(({ msg }) => String(msg).includes('could not deliver'))
  assert.equal(told.length, 1)
})

test('a receiver that is away slows no write, and its password is not logged', async (t) => {
  const NOTIFY_WEBHOOK = 'http://me:hidden-password@127.0.0.1:1/'
  const METRICS_TOKEN = 'a-token-of-this-test'
  const gateway = await startGatewayInProcess(t, { NOTIFY_WEBHOOK, METRICS_TOKEN })
  const beganAt = performance.now()
  for (let count = 0; count < 20; count++) await put(gateway, `k${count}`)
  // Less than a pause before another attempt for each of them.
  assert.ok(performance.now() - beganAt < 15_000)
  await until(() => gateway.lines.some(({ msg }) => String(msg).includes('could not deliver')))
  assert.doesNotMatch(JSON.stringify(gateway.lines), /hidden-password/)
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` }
  const metrics = await (await fetch(`${gateway.url}/-/metrics`, { headers })).text()
  assert.match(metrics, /^bucketry_events\{state="waiting"\} 20$/m)
  assert.match(metrics, /^bucketry_events\{state="dead"\} 0$/m)
})

test('Redis gets the events again after it was away, and its password is not logged', async (t) => {
  const options = { port: await freePort(), password: 'hidden-password' }
  const first = await startRedis(options)
  if (first === undefined) return t.skip('Redis is not installed (.ci/run installs it)')
  const settings = { NOTIFY_REDIS: first.url, NOTIFY_REDIS_STREAM: 'a:stream' }
  const gateway = await startGatewayInProcess(t, settings)
  const keysIn = async () => {
    const client = new Redis(first.url)
    const entries = await client.xrange('a:stream', '-', '+')
    client.disconnect()
    const keyOf = (message = '') => JSON.parse(message).Records[0].s3.object.key
    return entries.map(([, [name, message]]) => `${name} ${keyOf(message)}`)
  }
  await put(gateway, 'one')
  await until(async () => (await keysIn()).length === 1)
  await first.stop()
  await put(gateway, 'two')
  await put(gateway, 'three')
  await until(() => gateway.lines.some(({ msg }) => String(msg).includes('could not deliver')))
  const second = await startRedis(options)
  t.after(() => second?.stop())
  await until(async () => (await keysIn()).length === 2)
  // It keeps nothing when it stops here.
  assert.deepEqual((await keysIn()).toSorted(), ['event three', 'event two'])
  assert.doesNotMatch(JSON.stringify(gateway.lines), /hidden-password/)
})

test('clients configure which events they want', async (t) => {
  const receiver = await startEventReceiver(t)
  const aws = { COMPATIBILITY: 'aws', BUCKET_CREATION: 'on' }
  const gateway = await startGatewayInProcess(t, { ...receiver.settings, ...aws })
  await put(gateway, 'before.jpg')
  const target = `/${testBucket}?notification`
  // As Ansible writes it, and compares it with what it reads.
  const filterRule = (name: string, value: string) =>
    `<FilterRule><Name>${name}</Name><Value>${value}</Value></FilterRule>`
  const filter = `<Filter><S3Key>${filterRule('Prefix', '')}${filterRule('Suffix', '.jpg')}</S3Key></Filter>`
  const rule = (arn: string, event: string) =>
    `<NotificationConfiguration><QueueConfiguration><Id>mine</Id><Queue>${arn}</Queue><Event>${event}</Event>${filter}</QueueConfiguration></NotificationConfiguration>`
  const arn = 'arn:aws:sqs:us-east-1:000000000000:webhook'
  const created = 's3:ObjectCreated:*'
  const wrong = [
    ['no such target', rule(arn.replace('webhook', 'redis'), created)],
    ['no ARN', rule('webhook', created)],
    ['an event that is not sent', rule(arn, 's3:ObjectTagging:Put')],
  ] as const
  for (const [title, body] of wrong) {
    const refusal = { method: 'PUT', target, body, status: 400, code: 'InvalidArgument' }
    await answer(gateway, { title, ...refusal })
  }
  const body = rule(arn, created)
  await answer(gateway, { title: 'kept', method: 'PUT', target, body, status: 200 })
  const kept = await exchange(gateway, { method: 'GET', target })
  for (const text of [arn, created, filter, 'mine']) assert.ok(kept.text.includes(text), kept.text)
  await put(gateway, 'other.png')
  await put(gateway, 'wanted.jpg')
  await until(() => receiver.records.length >= 1)
  assert.deepEqual(receiver.names(), ['ObjectCreated:Put wanted.jpg'])
  assert.equal(receiver.records[0]?.s3.configurationId, 'mine')
})

test('?events is refused and not taken for a listing', async (t) => {
  const gateway = await startGatewayInProcess(t)
  for (const target of [
    `/${testBucket}?events=s3:ObjectCreated:*`,
    '/?events=s3:ObjectCreated:*',
  ]) {
    const refusal = { status: 501, code: 'NotImplemented' }
    const { text } = await answer(gateway, { title: target, method: 'GET', target, ...refusal })
    assert.match(text, /NOTIFY_WEBHOOK/)
  }
})
