/** Object Lock through presigned URLs, and deletions of many versions in one request. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  ListObjectVersionsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { soon, startLocked } from '../support/lock-client.ts'

const bypass = { 'x-amz-bypass-governance-retention': 'true' }

test('a presigned URL bypasses a retention only if its signature says so', async (t) => {
  const { client } = await startLocked(t)
  const { s3, Bucket } = client
  const Key = 'k'
  const VersionId = await client.lock(Key, 'GOVERNANCE')
  const input = { Bucket, Key, VersionId }
  const plain = await getSignedUrl(s3, new DeleteObjectCommand(input))
  for (const headers of [{}, bypass]) {
    const reply = await fetch(plain, { method: 'DELETE', headers })
    assert.equal(reply.status, 403)
  }
  const added = await fetch(`${plain}&x-amz-bypass-governance-retention=true`, { method: 'DELETE' })
  assert.equal(added.status, 403)
  assert.equal((await client.headLock(Key)).mode, 'GOVERNANCE')
  const bypassing = new DeleteObjectCommand({ ...input, BypassGovernanceRetention: true })
  const url = await getSignedUrl(s3, bypassing)
  assert.match(url, /bypass-governance-retention/)
  assert.equal((await fetch(url, { method: 'DELETE' })).status, 204)
})

test('a presigned URL locks the version that it writes', async (t) => {
  const { client } = await startLocked(t)
  const { s3, Bucket } = client
  const lock = { ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate: soon() } as const
  const command = new PutObjectCommand({ Bucket, Key: 'k', ...lock })
  const url = await getSignedUrl(s3, command)
  const reply = await fetch(url, { method: 'PUT', body: 'bytes' })
  assert.equal(reply.status, 200)
  const { mode, untilMs } = await client.headLock('k')
  assert.deepEqual([mode, untilMs], ['COMPLIANCE', soon().getTime()])
})

test('DeleteObjects of 1,000 entries removes each version once, and spares locked ones', async (t) => {
  const { client } = await startLocked(t)
  const { s3, Bucket } = client
  const Key = 'k'
  const locked = await client.lock(Key, 'COMPLIANCE')
  const held = await client.put(Key, { ObjectLockLegalHoldStatus: 'ON' })
  const free: string[] = []
  for (let count = 0; count < 20; count++) free.push(await client.put(Key))
  const ids = [locked, held, ...free, 'none', '0'.repeat(32)]
  const Objects = Array.from({ length: 999 }, (_, index) => ({
    ...{ Key, VersionId: ids[index % ids.length] },
  }))
  const { Deleted = [], Errors = [] } = await s3.send(
    new DeleteObjectsCommand({ Bucket, Delete: { Objects: [...Objects, { Key: 'other' }] } }),
  )
  assert.equal(Deleted.length + Errors.length, 1_000)
  const codes = new Set(Errors.map(({ Code, VersionId }) => `${Code} ${VersionId}`))
  const denied = [locked, held].map((id) => `AccessDenied ${id}`)
  assert.deepEqual(codes, new Set([...denied, 'InvalidArgument none']))
  const { Versions = [], DeleteMarkers = [] } = await s3.send(
    new ListObjectVersionsCommand({ Bucket }),
  )
  assert.deepEqual(
    Versions.map(({ VersionId }) => VersionId),
    [held, locked],
  )
  assert.deepEqual(
    DeleteMarkers.map((one) => one.Key),
    ['other'],
  )
})
