import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { bytesOf } from '../../contract/drive/stored-object.ts'
import { startGatewayInProcess } from '../../support/gateway-in-process.ts'
import { startGatewayProcess, testBucket, testCredentials } from '../../support/gateway-process.ts'
import { until } from '../../support/management-client.ts'

const Bucket = testBucket
const partBytes = 6_000_000

function clientOf(url: string): S3Client {
  const { accessKey, secretKey, region } = testCredentials
  return new S3Client({
    ...{ endpoint: url, region, forcePathStyle: true, maxAttempts: 1 },
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
  })
}

test('what was acknowledged before a gateway was killed is there, and nothing else', async (t) => {
  const store = await startGatewayInProcess(t, { COMPATIBILITY: 'aws' })
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-s3-killed-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const settings = {
    DRIVE: `s3+${store.url}/${store.bucket}/folder`,
    S3_DRIVE_ACCESS_KEY: store.credentials.accessKey,
    S3_DRIVE_SECRET_KEY: store.credentials.secretKey,
    ...{ WORKERS: '1', LOG_LEVEL: 'warn' },
  }
  const first = await startGatewayProcess({ folder, settings })
  t.after(() => first.kill())
  const before = clientOf(first.url)
  t.after(() => before.destroy())
  await before.send(new PutObjectCommand({ Bucket, Key: 'small', Body: bytesOf(1_000) }))
  await before.send(new PutObjectCommand({ Bucket, Key: 'large', Body: bytesOf(3_000_000) }))
  const upload = { Bucket, Key: 'in parts' }
  const { UploadId } = await before.send(new CreateMultipartUploadCommand(upload))
  const part = (number: number) => ({
    ...{ ...upload, UploadId, PartNumber: number, Body: bytesOf(partBytes, number) },
  })
  const { ETag } = await before.send(new UploadPartCommand(part(1)))
  // The gateway dies with a PUT and a part on their way.
  const slow = (Key: string) => {
    const ContentLength = 3_000_000
    return { Bucket, Key, ContentLength, Body: Readable.from(slowly(bytesOf(ContentLength))) }
  }
  const cut = [
    before.send(new PutObjectCommand(slow('large'))),
    before.send(new PutObjectCommand(slow('new'))),
    before.send(
      new UploadPartCommand({ ...part(2), Body: slow('').Body, ContentLength: 3_000_000 }),
    ),
  ]
  const results = Promise.allSettled(cut)
  await wait(300)
  await first.kill()
  assert.deepEqual(
    (await results).map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  )

  const second = await startGatewayProcess({ folder, settings })
  t.after(() => second.kill())
  const after = clientOf(second.url)
  t.after(() => after.destroy())
  const bytes = async (Key: string) => {
    const { Body } = await after.send(new GetObjectCommand({ Bucket, Key }))
    return Buffer.from((await Body?.transformToByteArray()) ?? [])
  }
  assert.ok((await bytes('small')).equals(bytesOf(1_000)))
  assert.ok((await bytes('large')).equals(bytesOf(3_000_000)))
  await assert.rejects(bytes('new'), { name: 'NoSuchKey' })
  // The lease of the killed process may have to expire.
  let etag: string | undefined
  await until(async () => {
    const sent = await after.send(new UploadPartCommand(part(2))).catch(() => undefined)
    etag = sent?.ETag
    return etag !== undefined
  })
  const Parts = [
    { PartNumber: 1, ETag },
    { PartNumber: 2, ETag: etag },
  ]
  const complete = { ...upload, UploadId, MultipartUpload: { Parts } }
  const done = await after.send(new CompleteMultipartUploadCommand(complete))
  const again = await after.send(new CompleteMultipartUploadCommand(complete))
  assert.equal(again.ETag, done.ETag)
  const whole = Buffer.concat([bytesOf(partBytes, 1), bytesOf(partBytes, 2)])
  assert.ok((await bytes('in parts')).equals(whole))
})

test('a gateway says in words why it does not start', async (t) => {
  const store = await startGatewayInProcess(t, { COMPATIBILITY: 'aws' })
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-s3-words-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const { accessKey, secretKey } = store.credentials
  const settings = (path: string, key: string) => ({
    ...{ DRIVE: `s3+${store.url}/${path}`, WORKERS: '1' },
    ...{ S3_DRIVE_ACCESS_KEY: accessKey, S3_DRIVE_SECRET_KEY: key },
  })
  for (const [path, key, words] of [
    [store.bucket, 'wrong', 'Check S3_DRIVE_SECRET_KEY'],
    ['missing', secretKey, 'Create the bucket, or correct DRIVE'],
  ] as const) {
    await assert.rejects(startGatewayProcess({ folder, settings: settings(path, key) }), (error) =>
      String(error).includes(words),
    )
  }
})

/** Most of the bytes at once, and the rest much later. */
async function* slowly(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes.subarray(0, 2_000_000)
  await wait(30_000, undefined, { ref: false })
  yield bytes.subarray(2_000_000)
}
