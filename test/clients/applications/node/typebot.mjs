import assert from 'node:assert/strict'
import { Client } from 'minio'
import { anonymous, bucket, credentials, endpoint, postForm, same, small } from './page.mjs'

const { hostname, port } = new URL(endpoint)
const client = new Client({
  ...{ endPoint: hostname, port: Number(port), useSSL: false, region: 'us-east-1' },
  ...{ accessKey: credentials.accessKeyId, secretKey: credentials.secretAccessKey },
})

async function upload(key) {
  const policy = client.newPostPolicy()
  policy.setBucket(bucket)
  policy.setKey(key)
  policy.setContentType('image/png')
  policy.setContentLengthRange(0, small.length)
  policy.setExpires(new Date(Date.now() + 600_000))
  const { postURL, formData } = await client.presignedPostPolicy(policy)
  const reply = await postForm(postURL, formData, small)
  assert.equal(reply.status, 204, await reply.text())
}

await upload('public/workspaces/1/sea one.png')
await upload('private/results/sea.png')
same((await anonymous('public/workspaces/1/sea%20one.png')).content, small)
assert.equal((await anonymous('private/results/sea.png')).status, 403)
const put = { method: 'PUT', body: 'by anyone' }
assert.equal((await anonymous('public/added.txt', put)).status, 200)
assert.equal((await anonymous('private/added.txt', put)).status, 403)
const url = await client.presignedGetObject(bucket, 'private/results/sea.png', 3600)
same(Buffer.from(await (await fetch(url)).arrayBuffer()), small)
const keys = []
for await (const { name } of client.listObjectsV2(bucket, 'private/', true)) keys.push(name)
assert.deepEqual(keys, ['private/results/sea.png'])
await client.removeObjects(bucket, keys)
