import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { Disk } from 'flydrive'
import { S3Driver } from 'flydrive/drivers/s3'
import {
  bucket,
  credentials,
  endpoint,
  http,
  large,
  otherEndpoint,
  region,
  same,
  small,
} from './place.mjs'

/** AdonisJS's disks, one with private and one with public objects. */
const settings = { endpoint, region, credentials, forcePathStyle: true }
await new S3Client(settings).send(new CreateBucketCommand({ Bucket: bucket }))
const diskOf = (visibility) => new Disk(new S3Driver({ ...settings, bucket, visibility }))
const disk = diskOf('private')
await disk.put('set/one.txt', 'text')
assert.equal(await disk.get('set/one.txt'), 'text')
await disk.putStream('set/large.bin', Readable.from([large]), { contentLength: large.length })
same(await disk.getBytes('set/large.bin'), large)
const { contentLength, contentType } = await disk.getMetaData('set/one.txt')
assert.deepEqual({ contentLength, contentType }, { contentLength: 4, contentType: 'text/plain' })
// Accepted without effect: GetObjectAcl says what is true.
await diskOf('public').put('set/public.bin', small)
await disk.setVisibility('set/one.txt', 'public')
for (const key of ['set/one.txt', 'set/public.bin']) {
  assert.equal(await disk.getVisibility(key), 'private')
  assert.equal((await fetch(await disk.getUrl(key))).status, 403)
}
await disk.setVisibility('set/one.txt', 'private')
await disk.copy('set/public.bin', 'set/copy of it.bin')
await disk.move('set/copy of it.bin', 'moved.bin')
same(await http('GET', await disk.getSignedUrl('moved.bin')), small)
await http('PUT', await disk.getSignedUploadUrl('sent.bin'), small)
same(await disk.getBytes('sent.bin'), small)
assert.equal(await disk.exists('set/copy of it.bin'), false)
const { objects } = await disk.listAll('set', { recursive: true })
assert.deepEqual(
  Array.from(objects, ({ key }) => key),
  ['set/large.bin', 'set/one.txt', 'set/public.bin'],
)
await disk.delete('absent.bin')
await disk.deleteAll()
assert.deepEqual(Array.from((await disk.listAll()).objects), [])

// A bucket that is opened by its ACL, and encryption by the disk.
const other = { ...settings, endpoint: otherEndpoint }
await new S3Client(other).send(new CreateBucketCommand({ Bucket: bucket, ACL: 'public-read' }))
const site = new Disk(
  new S3Driver({ ...other, bucket, visibility: 'public', encryption: 'AES256' }),
)
await site.put('site.css', small)
await site.copy('site.css', 'copy.css')
assert.equal(await site.getVisibility('copy.css'), 'public')
same(await http('GET', await site.getUrl('copy.css')), small)
