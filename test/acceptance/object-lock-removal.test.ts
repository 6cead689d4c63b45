/** What Object Lock lets clients remove and change, and with which rights. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  CopyObjectCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectLockConfigurationCommand,
  ListObjectVersionsCommand,
  PutObjectTaggingCommand,
} from '@aws-sdk/client-s3'
import type { GatewayInProcess } from '../support/gateway-in-process.ts'
import { dayMs, LockClient, refuses, soon, startLocked, today } from '../support/lock-client.ts'
import { dashboardPassword, ManagementClient } from '../support/management-client.ts'
import { answer } from '../support/wire-case.ts'

test('a locked version cannot be removed, but hidden and replaced', async (t) => {
  const { client } = await startLocked(t)
  const { s3, Bucket } = client
  const Key = 'key'
  const until = soon()
  const first = await client.lock(Key, 'GOVERNANCE', until.getTime())
  const second = await client.put(Key)
  assert.deepEqual(await client.retention(Key, first), {
    ...{ Mode: 'GOVERNANCE', RetainUntilDate: until },
  })
  await refuses(client.retention(Key), 404, 'NoSuchObjectLockConfiguration')
  const { mode, untilMs } = await client.headLock(Key, first)
  assert.deepEqual([mode, untilMs], ['GOVERNANCE', until.getTime()])
  const remove = (VersionId: string, more = {}) =>
    s3.send(new DeleteObjectCommand({ Bucket, Key, VersionId, ...more }))
  await remove(second)
  await refuses(remove(first), 403, 'AccessDenied')
  const { DeleteMarker } = await s3.send(new DeleteObjectCommand({ Bucket, Key }))
  assert.equal(DeleteMarker, true)
  await refuses(remove(first), 403, 'AccessDenied')
  const unlocked = await client.put('other')
  const Objects = [
    { Key, VersionId: first },
    { Key: 'other', VersionId: unlocked },
  ]
  const many = { Bucket, Delete: { Objects } }
  const { Deleted, Errors } = await s3.send(new DeleteObjectsCommand(many))
  assert.deepEqual(
    [Deleted?.map(({ Key }) => Key), Errors?.map(({ Code }) => Code)],
    [['other'], ['AccessDenied']],
  )
  const listed = await s3.send(new ListObjectVersionsCommand({ Bucket }))
  assert.deepEqual(
    listed.Versions?.map(({ VersionId }) => VersionId),
    [first],
  )
  const bypassed = await s3.send(
    new DeleteObjectsCommand({ ...many, BypassGovernanceRetention: true }),
  )
  assert.equal(bypassed.Errors, undefined)
})

test('the owner bypasses GOVERNANCE, and nobody COMPLIANCE', async (t) => {
  const { client } = await startLocked(t)
  const { s3, Bucket } = client
  const bypass = { BypassGovernanceRetention: true }
  for (const mode of ['GOVERNANCE', 'COMPLIANCE'] as const) {
    const Key = mode
    const VersionId = await client.lock(Key, mode, soon(2).getTime())
    const later = { Mode: mode, RetainUntilDate: soon(3) }
    const earlier = { Mode: mode, RetainUntilDate: soon(1) }
    await client.retain(Key, later)
    await refuses(client.retain(Key, earlier), 403, 'AccessDenied')
    const Mode = mode === 'GOVERNANCE' ? 'COMPLIANCE' : 'GOVERNANCE'
    await refuses(client.retain(Key, { Mode, RetainUntilDate: soon(4) }), 403, 'AccessDenied')
    await refuses(client.retain(Key, {}), 403, 'AccessDenied')
    const remove = () => s3.send(new DeleteObjectCommand({ Bucket, Key, VersionId, ...bypass }))
    if (mode === 'GOVERNANCE') {
      await client.retain(Key, earlier, bypass)
      await client.retain(Key, {}, { ...bypass, VersionId })
      await refuses(client.retention(Key), 404, 'NoSuchObjectLockConfiguration')
      await client.lock(Key, mode)
      await remove()
    } else {
      const changes: readonly Parameters<LockClient['retain']>[1][] = [
        ...[earlier, {}, { Mode, RetainUntilDate: soon(4) } as const],
      ]
      for (const change of changes) {
        await refuses(client.retain(Key, change, bypass), 403, 'AccessDenied')
      }
      await refuses(remove(), 403, 'AccessDenied')
      assert.deepEqual(await client.retention(Key), later)
    }
  }
})

test('a retention that has ended does not prevent a removal', async (t) => {
  let nowMs = today
  const { client } = await startLocked(t, {}, () => nowMs)
  const { s3, Bucket } = client
  const Key = 'brief'
  const VersionId = await client.lock(Key, 'COMPLIANCE', nowMs + 3_000)
  const remove = () => s3.send(new DeleteObjectCommand({ Bucket, Key, VersionId }))
  await refuses(remove(), 403, 'AccessDenied')
  // Object Lock follows a clock that jumps at double speed.
  nowMs += 30 * dayMs
  await refuses(remove(), 403, 'AccessDenied')
  const isRemoved = () => remove().then(Boolean, () => false)
  while (!(await isRemoved())) assert.ok(await client.retention(Key))
})

test('a legal hold prevents a removal until it is removed', async (t) => {
  const { client } = await startLocked(t)
  const { s3, Bucket } = client
  const Key = 'held'
  const VersionId = await client.put(Key, { ObjectLockLegalHoldStatus: 'ON' })
  const remove = () =>
    s3.send(new DeleteObjectCommand({ Bucket, Key, VersionId, BypassGovernanceRetention: true }))
  assert.equal((await client.headLock(Key)).hold, 'ON')
  await refuses(remove(), 403, 'AccessDenied')
  await client.put(Key)
  await client.hold(Key, 'OFF', VersionId)
  assert.equal(await client.holdStatus(Key, VersionId), 'OFF')
  assert.equal((await client.headLock(Key, VersionId)).hold, 'OFF')
  await refuses(client.holdStatus(Key), 404, 'NoSuchObjectLockConfiguration')
  await client.hold(Key, 'ON', VersionId)
  await refuses(remove(), 403, 'AccessDenied')
  await client.hold(Key, 'OFF', VersionId)
  await remove()
})

/** A client with an access key that has these rights for the bucket. */
async function holder(t: TestContext, gateway: GatewayInProcess, actions: readonly string[]) {
  const management = await ManagementClient.signIn(gateway.url)
  const grants = [{ bucket: 'locked', prefix: '', actions }]
  const made = await management.done('POST', '/keys', { name: actions.join(), grants })
  const { region } = gateway.credentials
  const as = { accessKey: made.key.accessKeyId, secretKey: made.secretKey, region }
  return new LockClient(t, gateway, { as })
}

test('an access key needs the right to bypass', async (t) => {
  const { gateway, client } = await startLocked(t, { DASHBOARD_PASSWORD: dashboardPassword })
  const Key = 'key'
  const VersionId = await client.lock(Key, 'GOVERNANCE', soon(2).getTime())
  const writes = ['read', 'read-version', 'write', 'delete-version']
  const writer = await holder(t, gateway, writes)
  const bypasser = await holder(t, gateway, [...writes, 'bypass'])
  const remove = (by: LockClient, BypassGovernanceRetention: boolean) => {
    const input = { Bucket: by.Bucket, Key, VersionId, BypassGovernanceRetention }
    return by.s3.send(new DeleteObjectCommand(input))
  }
  const later = { Mode: 'GOVERNANCE', RetainUntilDate: soon(3) } as const
  const earlier = { ...later, RetainUntilDate: soon(1) }
  const bypass = { BypassGovernanceRetention: true, VersionId }
  await writer.retain(Key, later, { VersionId })
  await writer.hold(Key, 'ON')
  for (const refused of [
    () => writer.retain(Key, earlier, bypass),
    () => writer.hold(Key, 'OFF'),
    () => remove(writer, true),
    () => remove(bypasser, true),
  ]) {
    await refuses(refused(), 403, 'AccessDenied')
  }
  await bypasser.hold(Key, 'OFF')
  await bypasser.retain(Key, earlier, bypass)
  await refuses(remove(writer, false), 403, 'AccessDenied')
  await refuses(remove(bypasser, false), 403, 'AccessDenied')
  const Delete = { Objects: [{ Key, VersionId }] }
  const many = { Bucket: writer.Bucket, Delete, BypassGovernanceRetention: true }
  const { Errors } = await writer.s3.send(new DeleteObjectsCommand(many))
  assert.equal(Errors?.[0]?.Code, 'AccessDenied')
  await remove(bypasser, true)
})

test('a key that may not write cannot lock, and one that may lock needs no right to remove', async (t) => {
  const { gateway, client } = await startLocked(t, { DASHBOARD_PASSWORD: dashboardPassword })
  const VersionId = await client.put('key')
  const retention = { Mode: 'GOVERNANCE', RetainUntilDate: soon() } as const
  const remover = await holder(t, gateway, ['read', 'delete', 'delete-version', 'bypass'])
  await refuses(remover.retain('key', retention), 403, 'AccessDenied')
  await refuses(remover.hold('key', 'ON'), 403, 'AccessDenied')
  const writer = await holder(t, gateway, ['write'])
  await writer.retain('key', retention, { VersionId })
  await writer.hold('key', 'ON', VersionId)
  await refuses(writer.retention('key'), 403, 'AccessDenied')
  await refuses(writer.setDefault('COMPLIANCE', { Days: 1 }), 403, 'AccessDenied')
  assert.equal((await remover.headLock('key')).hold, 'ON')
})

test('a public bucket shows no locks to everyone', async (t) => {
  const { gateway, client } = await startLocked(t, { COMPATIBILITY: 'aws', ACLS: 'bucket' })
  await client.lock('key', 'GOVERNANCE')
  const acl = { 'x-amz-acl': 'public-read' }
  await answer(gateway, {
    title: '',
    method: 'PUT',
    target: '/locked?acl',
    headers: acl,
    status: 200,
  })
  const open = { title: '', method: 'HEAD', target: '/locked/key', isUnsigned: true, status: 200 }
  await answer(gateway, { ...open, fields: { 'x-amz-object-lock-mode': undefined } })
  for (const target of ['/locked/key?retention', '/locked/key?legal-hold', '/locked?object-lock']) {
    await answer(gateway, { ...open, method: 'GET', target, status: 403, code: 'AccessDenied' })
  }
})

test('other doors do not remove a locked version', async (t) => {
  const { gateway, client } = await startLocked(t, {
    ...{ COMPATIBILITY: 'aws', DASHBOARD_PASSWORD: dashboardPassword },
  })
  const { s3, Bucket } = client
  const locked = await client.lock('folder/key', 'COMPLIANCE')
  const isThere = async () => {
    const { untilMs } = await client.headLock('folder/key', locked)
    assert.ok(untilMs !== undefined)
  }
  await refuses(s3.send(new DeleteBucketCommand({ Bucket })), 409, 'BucketNotEmpty')
  await isThere()
  // Overwritten, tagged, and copied onto itself.
  await client.put('folder/key')
  const tagging = { TagSet: [{ Key: 'a', Value: 'b' }] }
  const Key = 'folder/key'
  await s3.send(new PutObjectTaggingCommand({ Bucket, Key, VersionId: locked, Tagging: tagging }))
  const CopySource = `${Bucket}/${Key}?versionId=${locked}`
  await s3.send(new CopyObjectCommand({ Bucket, Key, CopySource, StorageClass: 'GLACIER' }))
  await isThere()
  // The dashboard deletes a folder.
  const management = await ManagementClient.signIn(gateway.url)
  const before = await versionsOf(client)
  await management.done('POST', '/file-jobs', {
    ...{ action: 'delete', bucket: Bucket, paths: ['folder/'] },
  })
  await t.waitFor(async () => assert.ok((await versionsOf(client)).length > before.length))
  await isThere()
  // The documents of the bucket go, and Object Lock stays.
  await refuses(s3.send(new DeleteBucketCommand({ Bucket })), 409, 'BucketNotEmpty')
  const configuration = new GetObjectLockConfigurationCommand({ Bucket })
  const { ObjectLockConfiguration } = await s3.send(configuration)
  assert.equal(ObjectLockConfiguration?.ObjectLockEnabled, 'Enabled')
})

/** All versions and delete markers. */
async function versionsOf({ s3, Bucket }: LockClient) {
  const { Versions = [], DeleteMarkers = [] } = await s3.send(
    new ListObjectVersionsCommand({ Bucket }),
  )
  return [...Versions, ...DeleteMarkers]
}
