import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import {
  CreateBucketCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3'
import { S3Store } from '@tus/s3-store'
import { Server } from '@tus/server'
import { bucket, credentials, endpoint, large, region, same } from './place.mjs'

/** A resumable upload in two requests, to a tus server that stores it in the bucket, and one that expires. */
const settings = { endpoint, region, credentials, forcePathStyle: true }
const client = new S3Client(settings)
await client.send(new CreateBucketCommand({ Bucket: bucket }))
// With an expiry, the store tags what is complete.
const datastore = new S3Store({
  expirationPeriodInMilliseconds: 3_600_000,
  s3ClientConfig: { bucket, ...settings },
})
const tus = new Server({ path: '/files', datastore })
const server = createServer((request, reply) => tus.handle(request, reply)).listen(0, '127.0.0.1')
await once(server, 'listening')
const version = { 'Tus-Resumable': '1.0.0' }
const created = await fetch(`http://127.0.0.1:${server.address().port}/files`, {
  method: 'POST',
  headers: { ...version, 'Upload-Length': String(large.length) },
})
assert.equal(created.status, 201, await created.text())
const location = new URL(created.headers.get('location'), created.url)
location.host = new URL(created.url).host
const middle = 30_000_000
for (const [start, end] of [
  [0, middle],
  [middle, large.length],
]) {
  const sent = await fetch(location, {
    method: 'PATCH',
    headers: {
      ...version,
      'Upload-Offset': String(start),
      'Content-Type': 'application/offset+octet-stream',
    },
    body: large.subarray(start, end),
  })
  assert.equal(sent.status, 204, await sent.text())
}
const Key = location.pathname.split('/').at(-1)
const got = await client.send(new GetObjectCommand({ Bucket: bucket, Key }))
same(await got.Body.transformToByteArray(), large)
const { TagSet } = await client.send(
  new GetObjectTaggingCommand({ Bucket: bucket, Key: `${Key}.info` }),
)
assert.deepEqual(TagSet, [{ Key: 'Tus-Completed', Value: 'true' }])
// An upload that was left half-way, and is removed after its time.
const left = await fetch(created.url, {
  method: 'POST',
  headers: { ...version, 'Upload-Length': String(large.length) },
})
const shortLived = new S3Store({
  expirationPeriodInMilliseconds: 1,
  s3ClientConfig: { bucket, ...settings },
})
const leftKey = new URL(left.headers.get('location'), created.url).pathname.split('/').at(-1)
const { TagSet: open } = await client.send(
  new GetObjectTaggingCommand({ Bucket: bucket, Key: `${leftKey}.info` }),
)
assert.deepEqual(open, [{ Key: 'Tus-Completed', Value: 'false' }])
// Its two objects, of which one does not exist.
assert.equal(await shortLived.deleteExpired(), 2)
const listed = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
assert.deepEqual(
  listed.Contents.map((one) => one.Key),
  [Key, `${Key}.info`],
)
server.close()
server.closeAllConnections()
