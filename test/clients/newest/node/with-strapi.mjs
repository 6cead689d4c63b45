import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { CreateBucketCommand, PutBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3'
import provider from '@strapi/provider-upload-aws-s3'
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

/** Strapi's provider with its default ACL, public-read, and with all that its configuration offers. */
const s3Options = {
  endpoint,
  region,
  credentials,
  forcePathStyle: true,
  params: { Bucket: bucket },
}
const owner = new S3Client(s3Options)
await owner.send(new CreateBucketCommand({ Bucket: bucket }))
const media = provider.init({ rootPath: 'uploads', s3Options })
const picture = { hash: 'picture_1', ext: '.png', path: '2026', mime: 'image/png', buffer: small }
await media.upload(picture)
assert.equal(picture.url, `${endpoint}/${bucket}/uploads/2026/picture_1.png`)
// The ACL opens nothing: who may read is decided for the bucket.
assert.equal((await fetch(picture.url)).status, 403)
const allowed = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject' }
const Policy = JSON.stringify({
  Version: '2012-10-17',
  Statement: [{ ...allowed, Resource: `arn:aws:s3:::${bucket}/uploads/*` }],
})
await owner.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy }))
same(await http('GET', picture.url), small)
const film = { hash: 'film', ext: '.mp4', mime: 'video/mp4', stream: Readable.from([large]) }
await media.uploadStream(film)
same(await http('GET', film.url), large)
const next = { ...picture, hash: 'picture_2', buffer: undefined, stream: Readable.from([small]) }
await media.replaceStream(next, picture)
assert.equal(await media.objectExists(picture), false)
for (const file of [film, next, picture]) await media.delete(file)
assert.equal((await fetch(film.url)).status, 404)

const params = { ...s3Options.params, ACL: 'private' }
const providerConfig = {
  checksumAlgorithm: 'CRC64NVME',
  preventOverwrite: true,
  storageClass: 'STANDARD_IA',
  tags: { project: 'web site' },
  multipart: { partSize: 8 * 1024 * 1024, queueSize: 3 },
}
const archive = provider.init({ s3Options: { ...s3Options, params }, providerConfig })
assert.ok(archive.isPrivate())
const report = { hash: 'report', ext: '.pdf', mime: 'application/pdf', buffer: large }
await archive.upload(report)
assert.equal((await fetch(report.url)).status, 403)
same(await http('GET', (await archive.getSignedUrl(report)).url), large)
assert.equal((await archive.getObjectMetadata(report)).storageClass, 'STANDARD_IA')
await assert.rejects(archive.upload({ ...report, buffer: small }), { name: 'PreconditionFailed' })
await archive.delete(report)

// With encryption by the disk, in a bucket that its ACL opens.
const other = { ...s3Options, endpoint: otherEndpoint }
await new S3Client(other).send(new CreateBucketCommand({ Bucket: bucket, ACL: 'public-read' }))
const encrypted = provider.init({
  s3Options: other,
  providerConfig: { encryption: { type: 'AES256' } },
})
await encrypted.upload(report)
same(await http('GET', report.url), large)
assert.equal((await encrypted.getObjectMetadata(report)).serverSideEncryption, 'AES256')
