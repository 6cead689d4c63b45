/** Object Lock through the whole gateway (https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock.html). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetBucketVersioningCommand,
  GetObjectLockConfigurationCommand,
  PutBucketVersioningCommand,
  PutObjectLockConfigurationCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { dayMs, LockClient, refuses, soon, startLocked, today } from '../support/lock-client.ts'

const missing = 'Bucket is missing Object Lock Configuration'

for (const COMPATIBILITY of ['contract', 'aws']) {
  test(`a bucket created with Object Lock keeps versions (COMPATIBILITY=${COMPATIBILITY})`, async (t) => {
    const { client } = await startLocked(t, { COMPATIBILITY })
    const { s3, Bucket } = client
    assert.equal((await s3.send(new GetBucketVersioningCommand({ Bucket }))).Status, 'Enabled')
    const configuration = new GetObjectLockConfigurationCommand({ Bucket })
    assert.deepEqual((await s3.send(configuration)).ObjectLockConfiguration, {
      ObjectLockEnabled: 'Enabled',
    })
    const VersioningConfiguration = { Status: 'Suspended' } as const
    await refuses(
      s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration })),
      ...([409, 'InvalidBucketState'] as const),
      'An Object Lock configuration is present on this bucket, so the versioning state cannot be changed.',
    )
    await refuses(client.retention('none'), 404, 'NoSuchKey')
    await client.put('plain')
    const none = 'The specified object does not have a ObjectLock configuration'
    await refuses(client.retention('plain'), 404, 'NoSuchObjectLockConfiguration', none)
    await refuses(client.holdStatus('plain'), 404, 'NoSuchObjectLockConfiguration', none)
    const { mode, hold } = await client.headLock('plain')
    assert.deepEqual([mode, hold], [undefined, undefined])
  })
}

test('Object Lock can be turned on later, once versions are enabled', async (t) => {
  const { gateway } = await startLocked(t)
  const client = new LockClient(t, gateway, { bucket: 'later' })
  const { s3, Bucket } = client
  await s3.send(new CreateBucketCommand({ Bucket }))
  await refuses(
    client.setDefault('GOVERNANCE', { Days: 1 }),
    ...([409, 'InvalidBucketState'] as const),
    "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration",
  )
  const change = (Status: 'Enabled' | 'Suspended') =>
    s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }))
  await change('Enabled')
  await change('Suspended')
  await refuses(client.setDefault('GOVERNANCE', { Days: 1 }), 409, 'InvalidBucketState')
  await change('Enabled')
  await client.put('before')
  await client.setDefault('GOVERNANCE', { Days: 2 })
  const get = new GetObjectLockConfigurationCommand({ Bucket })
  assert.deepEqual((await s3.send(get)).ObjectLockConfiguration, {
    ObjectLockEnabled: 'Enabled',
    Rule: { DefaultRetention: { Mode: 'GOVERNANCE', Days: 2 } },
  })
  assert.equal((await client.headLock('before')).mode, undefined)
  assert.equal(
    (await client.retention(await client.put('after').then(() => 'after')))?.Mode,
    'GOVERNANCE',
  )
  const ObjectLockConfiguration = { ObjectLockEnabled: 'Enabled' } as const
  await s3.send(new PutObjectLockConfigurationCommand({ Bucket, ObjectLockConfiguration }))
  await client.put('again')
  assert.equal((await client.headLock('again')).mode, undefined)
  await refuses(change('Suspended') as Promise<unknown>, 409, 'InvalidBucketState')
})

test('a clock that was set back does not begin retentions in the past', async (t) => {
  let nowMs = today
  const { client } = await startLocked(t, {}, () => nowMs)
  await client.setDefault('COMPLIANCE', { Days: 1 })
  await client.put('key')
  nowMs -= 365 * dayMs
  await client.put('key')
  assert.equal((await client.headLock('key')).untilMs, today + dayMs)
  const past = new Date(today - dayMs)
  const message = 'The retain until date must be in the future!'
  await refuses(client.lock('key', 'COMPLIANCE', past.getTime()), 400, 'InvalidArgument', message)
  const change = { Mode: 'COMPLIANCE', RetainUntilDate: past } as const
  await refuses(client.retain('key', change), 400, 'InvalidArgument', message)
})

test('every write gets the default retention, unless it has its own', async (t) => {
  const { client } = await startLocked(t)
  const { s3, Bucket } = client
  await client.setDefault('GOVERNANCE', { Days: 1 })
  const lock = { ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate: soon(9) } as const
  const begun = Date.now()
  const upload = async (Key: string, more: object) => {
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...more }))
    const part = { Bucket, Key, UploadId, PartNumber: 1 }
    const { ETag } = await s3.send(new UploadPartCommand({ ...part, Body: 'bytes' }))
    const MultipartUpload = { Parts: [{ ETag, PartNumber: 1 }] }
    const input = { Bucket, Key, UploadId, MultipartUpload }
    await s3.send(new CompleteMultipartUploadCommand(input))
  }
  const writes: Readonly<Record<string, (Key: string, more: object) => Promise<unknown>>> = {
    put: (Key, more) => client.put(Key, more),
    upload,
    copy: (Key, more) =>
      s3.send(new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/source`, ...more })),
  }
  await client.lock('source', 'COMPLIANCE', soon(30).getTime())
  for (const [Key, write] of Object.entries(writes)) {
    await write(Key, {})
    const { mode, untilMs = 0 } = await client.headLock(Key)
    assert.equal(mode, 'GOVERNANCE', Key)
    const ms = untilMs - dayMs
    assert.ok(ms >= begun && ms <= Date.now(), `${Key}: ${new Date(untilMs).toISOString()}`)
    await write(Key, lock)
    const own = await client.headLock(Key)
    assert.deepEqual([own.mode, own.untilMs], ['COMPLIANCE', soon(9).getTime()], Key)
    await write(Key, { ObjectLockLegalHoldStatus: 'ON' })
    const held = await client.headLock(Key)
    assert.deepEqual([held.mode, held.hold], ['GOVERNANCE', 'ON'], Key)
  }
})

test('the default retention of an upload is that at its end', async (t) => {
  const { client } = await startLocked(t)
  const { s3, Bucket } = client
  const Key = 'upload'
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))
  const part = new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'x' })
  const { ETag } = await s3.send(part)
  await client.setDefault('COMPLIANCE', { Years: 1 })
  const begun = Date.now()
  const MultipartUpload = { Parts: [{ ETag, PartNumber: 1 }] }
  const complete = { Bucket, Key, UploadId, MultipartUpload }
  await s3.send(new CompleteMultipartUploadCommand(complete))
  const { untilMs = 0 } = await client.headLock(Key)
  assert.ok(untilMs >= begun + 365 * dayMs)
  // A repeated Complete answers as before.
  await s3.send(new CompleteMultipartUploadCommand(complete))
  assert.equal((await client.headLock(Key)).untilMs, untilMs)
})

test('a bucket without Object Lock has no locks', async (t) => {
  const { gateway } = await startLocked(t, { COMPATIBILITY: 'aws' })
  const client = new LockClient(t, gateway, { bucket: gateway.bucket })
  const { s3, Bucket } = client
  const none = [404, 'ObjectLockConfigurationNotFoundError'] as const
  await refuses(s3.send(new GetObjectLockConfigurationCommand({ Bucket })), ...none)
  const refused = [400, 'InvalidRequest', missing] as const
  await refuses(client.lock('key', 'GOVERNANCE'), ...refused)
  const Key = 'key'
  await s3.send(new CopyObjectCommand({ Bucket, Key, CopySource: 'x/y' })).catch(() => undefined)
  await refuses(client.put(Key, { ObjectLockLegalHoldStatus: 'ON' }), ...refused)
  const input = { Bucket, Key, ObjectLockLegalHoldStatus: 'ON' } as const
  await refuses(s3.send(new CreateMultipartUploadCommand(input)), ...refused)
  await refuses(client.retain(Key, { Mode: 'GOVERNANCE', RetainUntilDate: soon() }), ...refused)
  await refuses(client.hold(Key, 'ON'), ...refused)
})
