import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { startGatewayInProcess } from './gateway-in-process.ts'
import { testBucket as Bucket, testCredentials } from './gateway-process.ts'
import { exchange } from './wire-case.ts'

/** The key of calls that name none. */
/** An ID that a version on the memory drive could have. */
export const noSuchId = '0'.repeat(32)
export const Key = 'a/key'
export const target = `/${Bucket}/${Key}`

/** A gateway whose bucket can have versions, and calls of them. */
export async function startWithVersions(t: TestContext, mode = 'aws') {
  const settings = { COMPATIBILITY: mode, BUCKET_CREATION: 'on', ACLS: 'ignore' }
  const gateway = await startGatewayInProcess(t, settings)
  const s3 = new S3Client({
    ...{ endpoint: gateway.url, region: 'us-east-1', forcePathStyle: true, maxAttempts: 1 },
    credentials: {
      accessKeyId: testCredentials.accessKey,
      secretAccessKey: testCredentials.secretKey,
    },
  })
  t.after(() => s3.destroy())
  const set = (Status: 'Enabled' | 'Suspended') =>
    s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }))
  const put = async (Body: string, key = Key) => {
    const { VersionId = '' } = await s3.send(new PutObjectCommand({ Bucket, Key: key, Body }))
    return VersionId
  }
  const read = async (VersionId?: string, more: object = {}) => {
    const reply = await s3.send(new GetObjectCommand({ Bucket, Key, VersionId, ...more }))
    return [await reply.Body?.transformToString(), reply.VersionId]
  }
  const remove = async (VersionId?: string, key = Key) => {
    const reply = await s3.send(new DeleteObjectCommand({ Bucket, Key: key, VersionId }))
    return [reply.VersionId, reply.DeleteMarker] as const
  }
  /** Each version or marker of the page in order, from the document itself: SDKs separate the two. */
  const list = async (query = '') => {
    const { text } = await exchange(gateway, {
      method: 'GET',
      target: `/${Bucket}?versions${query}`,
    })
    const pattern =
      /<(Version|DeleteMarker)><Key>(.*?)<\/Key><VersionId>(.*?)<\/VersionId><IsLatest>(.*?)<\/IsLatest>/g
    const entries = [...text.matchAll(pattern)].map(
      ([, kind, key, id, isLatest]) =>
        [kind === 'Version' ? key : `-${key}`, id, isLatest === 'true'] as const,
    )
    return { text, entries, ids: entries.map(([, id]) => id) }
  }
  const refuses = async (work: Promise<unknown>, name: string) =>
    await assert.rejects(work, (error: Error) => {
      assert.equal(error.name, name)
      return true
    })
  return { gateway, s3, set, put, read, remove, list, refuses }
}
