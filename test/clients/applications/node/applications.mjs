import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import * as aws from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import {
  anonymous,
  bucket,
  credentials,
  endpoint,
  fromPage,
  large,
  postForm,
  preflight,
  same,
  small,
} from './page.mjs'

/** What applications that use the AWS SDK do at their start and at their main use, one function for each. */
const applications = { outline, langfuse, peertube, 'supabase-storage': supabaseStorage }
await applications[process.env.APPLICATION]()

function clientOf(region) {
  return new aws.S3Client({ endpoint, region, credentials, forcePathStyle: true })
}

async function contentOf({ Body }) {
  return Buffer.from(await Body.transformToByteArray())
}

async function outline() {
  // Not a dependency of this project: only the nightly run installs it.
  const { createPresignedPost } = await import('@aws-sdk/s3-presigned-post')
  const s3 = clientOf('us-east-1')
  const form = (key, acl) =>
    createPresignedPost(s3, {
      ...{ Bucket: bucket, Key: key, Expires: 3600 },
      Conditions: [
        ['content-length-range', 0, small.length],
        ['starts-with', '$Content-Type', 'image'],
        ['starts-with', '$Cache-Control', ''],
      ],
      Fields: { 'Content-Disposition': 'attachment', key, acl },
    })
  for (const [key, acl] of [
    ['uploads/team/a b.png', 'private'],
    ['public/avatar.png', 'public-read'],
  ]) {
    const { url, fields } = await form(key, acl)
    const more = { 'Cache-Control': 'max-age=31557600', 'Content-Type': 'image/png' }
    const reply = await postForm(url, { ...fields, ...more }, small)
    assert.equal(reply.status, 204, await reply.text())
    const wrong = await postForm(url, { ...fields, ...more, 'Content-Type': 'text/html' }, small)
    assert.equal(wrong.status, 403)
  }
  const object = { Bucket: bucket, Key: 'uploads/team/a b.png' }
  const command = new aws.GetObjectCommand({ ...object, ResponseContentDisposition: 'attachment' })
  const reply = await fromPage(await getSignedUrl(s3, command, { expiresIn: 60 }))
  same(Buffer.from(await reply.arrayBuffer()), small)
  same((await anonymous('public/avatar.png')).content, small)
  assert.equal((await anonymous('uploads/team/a%20b.png')).status, 403)
  const params = { ...object, Key: 'export.zip', Body: Readable.from([large]), ACL: 'private' }
  await new Upload({ client: s3, params: { ...params, ContentDisposition: 'attachment' } }).done()
  same(
    await contentOf(await s3.send(new aws.GetObjectCommand({ ...object, Key: 'export.zip' }))),
    large,
  )
  await s3.send(new aws.DeleteObjectCommand(object))
}

async function langfuse() {
  const s3 = clientOf('auto')
  const event = { Bucket: bucket, Key: 'events/project/trace/1.json' }
  await s3.send(
    new aws.PutObjectCommand({ ...event, Body: '[{}]', ContentType: 'application/json' }),
  )
  const got = await s3.send(new aws.GetObjectCommand(event))
  assert.equal(await got.Body.transformToString(), '[{}]')
  const page = await s3.send(new aws.ListObjectsV2Command({ Bucket: bucket, Prefix: 'events/' }))
  assert.deepEqual(
    page.Contents.map(({ Key }) => Key),
    [event.Key],
  )
  const params = { Bucket: bucket, Key: 'exports/1.csv', Body: Readable.from([large]) }
  await new Upload({ client: s3, params: { ...params, ContentType: 'text/csv' } }).done()
  const download = new aws.GetObjectCommand({
    ...{ Bucket: bucket, Key: 'exports/1.csv' },
    ResponseContentDisposition: 'attachment; filename="exports/1.csv"',
  })
  const reply = await fetch(await getSignedUrl(s3, download, { expiresIn: 3600 }))
  same(Buffer.from(await reply.arrayBuffer()), large)
  await putMedia(s3)
  const both = { Objects: [{ Key: event.Key }, { Key: 'exports/1.csv' }] }
  const removed = await s3.send(new aws.DeleteObjectsCommand({ Bucket: bucket, Delete: both }))
  assert.equal(removed.Errors, undefined)
}

/** Its SDKs send media to a URL that signs the type, the length and the checksum. */
async function putMedia(s3) {
  const media = { Bucket: bucket, Key: 'media/project/sea.png' }
  const sha256 = createHash('sha256').update(small).digest('base64')
  const command = new aws.PutObjectCommand({
    ...{ ...media, ContentType: 'image/png', ContentLength: small.length },
    ChecksumSHA256: sha256,
  })
  const url = await getSignedUrl(s3, command, {
    expiresIn: 3600,
    signableHeaders: new Set(['content-type', 'content-length']),
    unhoistableHeaders: new Set(['x-amz-checksum-sha256']),
  })
  const headers = { 'content-type': 'image/png', 'x-amz-checksum-sha256': sha256 }
  await preflight(url, 'PUT', Object.keys(headers))
  const put = await fromPage(url, { method: 'PUT', headers, body: small })
  assert.equal(put.status, 200, await put.text())
  const other = Buffer.from(small).fill(0, 0, 9)
  const refused = await fromPage(url, { method: 'PUT', headers, body: other })
  assert.equal(refused.status, 400)
  same(await contentOf(await s3.send(new aws.GetObjectCommand(media))), small)
}

async function peertube() {
  const s3 = clientOf('us-east-1')
  const rule = { AllowedHeaders: ['*'], AllowedMethods: ['GET'], AllowedOrigins: ['*'] }
  const CORSConfiguration = { CORSRules: [{ ...rule, ExposeHeaders: [] }] }
  await s3.send(new aws.PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration }))
  const key = 'videos/1/720.mp4'
  const params = { Bucket: bucket, Key: key, Body: Readable.from([large]), ACL: 'public-read' }
  const options = { client: s3, queueSize: 4, partSize: 5 * 1024 * 1024, leavePartsOnError: true }
  const stored = await new Upload({ ...options, params }).done()
  assert.equal(stored.Bucket, bucket)
  const range = { Bucket: bucket, Key: key, Range: 'bytes=5242000-5243999' }
  same(
    await contentOf(await s3.send(new aws.GetObjectCommand(range))),
    large.subarray(5242000, 5244000),
  )
  const listed = await s3.send(
    new aws.ListObjectsV2Command({ Bucket: bucket, Prefix: 'videos/1/' }),
  )
  for (const { Key } of listed.Contents) {
    await s3.send(new aws.PutObjectAclCommand({ Bucket: bucket, Key, ACL: 'private' }))
  }
  assert.equal((await anonymous(key)).status, 403)
  const command = new aws.GetObjectCommand({
    ...{ Bucket: bucket, Key: key },
    ResponseContentDisposition: 'attachment; filename="a%20video.mp4"',
  })
  const url = await getSignedUrl(s3, command, { expiresIn: 86_400 })
  const part = await fromPage(url, { headers: { range: 'bytes=0-9' } })
  assert.equal(part.status, 206)
  const head = await s3.send(new aws.HeadObjectCommand({ Bucket: bucket, Key: key }))
  assert.equal(head.ContentLength, large.length)
  await s3.send(new aws.DeleteObjectCommand({ Bucket: bucket, Key: key }))
}

async function supabaseStorage() {
  const s3 = clientOf('stub')
  const key = 'stub/files/é/sea.png/0f2c'
  const params = {
    Bucket: bucket,
    Key: key,
    Body: Readable.from([small]),
    ContentType: 'image/png',
  }
  const upload = new Upload({ client: s3, params: { ...params, CacheControl: 'max-age=3600' } })
  const { ETag } = await upload.done()
  const again = new aws.GetObjectCommand({ Bucket: bucket, Key: key, IfNoneMatch: ETag })
  await assert.rejects(s3.send(again), ({ $metadata }) => $metadata.httpStatusCode === 304)
  await s3.send(
    new aws.CopyObjectCommand({
      ...{ Bucket: bucket, Key: `${key}-copy`, CopySourceIfMatch: ETag },
      CopySource: encodeURIComponent(`${bucket}/${key}`),
    }),
  )
  const target = { Bucket: bucket, Key: 'stub/files/large/1' }
  const made = new aws.CreateMultipartUploadCommand({ ...target, Metadata: { Version: '1' } })
  const { UploadId } = await s3.send(made)
  const first = { ...target, UploadId, PartNumber: 1, Body: large.subarray(0, 6 << 20) }
  await s3.send(new aws.UploadPartCommand({ ...first, ContentLength: 6 << 20 }))
  await s3.send(
    new aws.UploadPartCopyCommand({
      ...{ ...target, UploadId, PartNumber: 2, CopySourceRange: 'bytes=0-999' },
      CopySource: encodeURIComponent(`${bucket}/${key}`),
    }),
  )
  const { Parts } = await s3.send(new aws.ListPartsCommand({ ...target, UploadId, MaxParts: 1000 }))
  const MultipartUpload = { Parts }
  await s3.send(new aws.CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload }))
  const whole = await contentOf(await s3.send(new aws.GetObjectCommand(target)))
  same(whole, Buffer.concat([large.subarray(0, 6 << 20), small.subarray(0, 1000)]))
  const url = await getSignedUrl(s3, new aws.GetObjectCommand(target), { expiresIn: 600 })
  assert.equal((await fetch(url, { headers: { range: 'bytes=0-0' } })).status, 206)
  const { Contents } = await s3.send(
    new aws.ListObjectsV2Command({ Bucket: bucket, Prefix: 'stub/files/', StartAfter: target.Key }),
  )
  const Delete = { Objects: Contents.map(({ Key }) => ({ Key })) }
  assert.equal(Delete.Objects.length, 2)
  await s3.send(new aws.DeleteObjectsCommand({ Bucket: bucket, Delete }))
}
