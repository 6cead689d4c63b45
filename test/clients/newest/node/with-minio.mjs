import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { Client, NotificationConfig, QueueConfig } from 'minio'
import { bucket, credentials, endpoint, expectEvents, http, large, same, small } from './place.mjs'

const { hostname, port } = new URL(endpoint)
const client = new Client({
  endPoint: hostname,
  port: Number(port),
  useSSL: false,
  accessKey: credentials.accessKeyId,
  secretKey: credentials.secretAccessKey,
})

if (!(await client.bucketExists(bucket))) await client.makeBucket(bucket)
// Releases of 8.0 number the parts of a stream from 2.
const pieces = Array.from({ length: 80 }, (_, index) =>
  large.subarray(index << 20, (index + 1) << 20),
)
await client.putObject(bucket, 'large.bin', Readable.from(pieces))
same(await buffer(await client.getObject(bucket, 'large.bin')), large)
await client.putObject(bucket, 'small one.bin', small)
await http('PUT', await client.presignedPutObject(bucket, 'presigned.bin'), small)
same(await http('GET', await client.presignedGetObject(bucket, 'presigned.bin')), small)
const policy = client.newPostPolicy()
policy.setBucket(bucket)
policy.setKey('form.bin')
policy.setExpires(new Date(Date.now() + 60_000))
policy.setContentLengthRange(1, small.length)
const { postURL, formData } = await client.presignedPostPolicy(policy)
const form = new FormData()
for (const [name, value] of Object.entries(formData)) form.append(name, value)
form.append('file', new Blob([small]), 'form.bin')
const posted = await fetch(postURL, { method: 'POST', body: form })
assert.equal(posted.status, 204, await posted.text())
same(await buffer(await client.getObject(bucket, 'form.bin')), small)
await client.initiateNewMultipartUpload(bucket, 'open.bin', {})
const open = await Array.fromAsync(client.listIncompleteUploads(bucket, '', true))
assert.deepEqual(
  open.map(({ key }) => key),
  ['open.bin'],
)
await client.removeIncompleteUpload(bucket, 'open.bin')
const allowed = { Effect: 'Allow', Principal: { AWS: ['*'] }, Action: ['s3:GetObject'] }
const Statement = [{ ...allowed, Resource: [`arn:aws:s3:::${bucket}/*`] }]
const bucketPolicy = JSON.stringify({ Version: '2012-10-17', Statement })
await client.setBucketPolicy(bucket, bucketPolicy)
assert.equal(await client.getBucketPolicy(bucket), bucketPolicy)
const unsigned = () => fetch(`${process.env.ENDPOINT}/${bucket}/form.bin`)
same(Buffer.from(await (await unsigned()).arrayBuffer()), small)
await client.setBucketPolicy(bucket, '')
assert.equal((await unsigned()).status, 403)
const queue = new QueueConfig('arn:minio:sqs::1:webhook')
queue.addEvent('s3:ObjectCreated:*')
queue.addFilterPrefix('in/')
const notifications = new NotificationConfig()
notifications.add(queue)
await client.setBucketNotification(bucket, notifications)
const { QueueConfiguration } = await client.getBucketNotification(bucket)
assert.deepEqual(QueueConfiguration[0].Queue, 'arn:minio:sqs::1:webhook')
await client.putObject(bucket, 'in/a b.bin', small)
await client.putObject(bucket, 'out.bin', small)
await client.removeAllBucketNotification(bucket)
await client.removeObjects(bucket, ['in/a b.bin', 'out.bin'])
await expectEvents('ObjectCreated:Put in/a+b.bin')
const objects = await Array.fromAsync(client.listObjectsV2(bucket, '', true))
const keys = objects.map(({ name }) => name)
assert.deepEqual(keys, ['form.bin', 'large.bin', 'presigned.bin', 'small one.bin'])
await client.removeObject(bucket, 'absent.bin')
await client.removeObjects(bucket, keys)
await client.removeBucket(bucket)
