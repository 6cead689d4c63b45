import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { createPresignedPost } from '@aws-sdk/s3-presigned-post'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { bucket, credentials, endpoint, http, large, region, same, small } from './place.mjs'

/** The SDK, lib-storage, the presigners of URLs and forms; forcePathStyle because the gateway's host is an address. */
const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true })
const Bucket = bucket
const send = (Command, input) => client.send(new Command({ Bucket, ...input }))

await send(HeadBucketCommand).catch(() => send(CreateBucketCommand))
await send(PutObjectCommand, { Key: 'a b+c.bin', Body: small, Metadata: { colour: 'blue' } })
const got = await send(GetObjectCommand, { Key: 'a b+c.bin' })
assert.deepEqual(got.Metadata, { colour: 'blue' })
same(await got.Body.transformToByteArray(), small)
await new Upload({
  client,
  params: { Bucket, Key: 'large.bin', Body: Readable.from([large]), StorageClass: 'STANDARD_IA' },
  // Set after the upload, with PutObjectTagging.
  tags: [{ Key: 'colour', Value: 'blue' }],
}).done()
const copy = await send(GetObjectCommand, { Key: 'large.bin' })
assert.equal(copy.TagCount, 1)
same(await copy.Body.transformToByteArray(), large)
assert.equal(copy.StorageClass, 'STANDARD_IA')
const { TagSet } = await send(GetObjectTaggingCommand, { Key: 'large.bin' })
assert.deepEqual(TagSet, [{ Key: 'colour', Value: 'blue' }])
const presigned = { Bucket, Key: 'presigned.bin' }
await http('PUT', await getSignedUrl(client, new PutObjectCommand(presigned)), small)
same(await http('GET', await getSignedUrl(client, new GetObjectCommand(presigned))), small)
const Conditions = [['content-length-range', 1, small.length]]
const { url, fields } = await createPresignedPost(client, { Bucket, Key: 'form.bin', Conditions })
const form = new FormData()
for (const [name, value] of Object.entries(fields)) form.append(name, value)
form.append('file', new Blob([small]), 'form.bin')
const posted = await fetch(url, { method: 'POST', body: form })
assert.equal(posted.status, 204, await posted.text())
same(
  await http('GET', await getSignedUrl(client, new GetObjectCommand({ Bucket, Key: 'form.bin' }))),
  small,
)
const { UploadId } = await send(CreateMultipartUploadCommand, { Key: 'open.bin' })
const { Uploads } = await send(ListMultipartUploadsCommand)
assert.deepEqual(
  Uploads.map((upload) => upload.UploadId),
  [UploadId],
)
await send(AbortMultipartUploadCommand, { Key: 'open.bin', UploadId })
const { Contents } = await send(ListObjectsV2Command)
const Objects = Contents.map(({ Key }) => ({ Key }))
assert.equal(Objects.length, 4)
await send(DeleteObjectCommand, { Key: 'absent.bin' })
await send(DeleteObjectsCommand, { Delete: { Objects } })
assert.equal((await send(ListObjectsV2Command)).KeyCount, 0)
