import assert from 'node:assert/strict'
import { once } from 'node:events'
import { CreateBucketCommand, GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import express from 'express'
import multer from 'multer'
import multerS3 from 'multer-s3'
import { bucket, credentials, endpoint, large, region, same } from './place.mjs'

/** A form with a file, sent to an application that stores it by multer-s3. */
const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true })
await client.send(new CreateBucketCommand({ Bucket: bucket }))
const storage = multerS3({
  s3: client,
  bucket,
  // Accepted without effect.
  acl: 'public-read',
  contentType: multerS3.AUTO_CONTENT_TYPE,
  key: (_, file, done) => done(null, file.originalname),
})
const application = express()
application.post('/', multer({ storage }).single('file'), (request, reply) => {
  reply.json(request.file)
})
const server = application.listen(0, '127.0.0.1')
await once(server, 'listening')
const form = new FormData()
form.set('file', new Blob([large]), 'large.bin')
const address = `http://127.0.0.1:${server.address().port}/`
const reply = await fetch(address, { method: 'POST', body: form })
assert.equal(reply.status, 200, await reply.clone().text())
const got = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'large.bin' }))
assert.equal((await fetch(`${endpoint}/${bucket}/large.bin`)).status, 403)
same(await got.Body.transformToByteArray(), large)
server.close()
server.closeAllConnections()
