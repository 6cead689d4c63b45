import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { AwsClient } from 'aws4fetch'
import { testBucket } from '../support/gateway-process.ts'
import { md5Of, testBytes } from '../support/test-bytes.ts'
import { describeOverBoth, type Endpoint } from './endpoint.ts'
import { trustAuthority } from './trust-authority.ts'

function clientOf({ gateway, caFile }: Endpoint): { aws: AwsClient; base: string } {
  trustAuthority(caFile)
  const { accessKey, secretKey, region } = gateway.credentials
  const options = { accessKeyId: accessKey, secretAccessKey: secretKey, region, service: 's3' }
  return { aws: new AwsClient(options), base: `${gateway.url}/${testBucket}` }
}

describeOverBoth('aws4fetch', { skip: false }, (endpoint) => {
  it('uploads, reads, lists and deletes an object', async () => {
    const { aws, base } = clientOf(endpoint())
    const body = testBytes('aws4fetch', 64 * 1024 * 1024 + 17)
    const put = await aws.fetch(`${base}/fetch/large.bin`, {
      method: 'PUT',
      body: new Uint8Array(body),
    })
    assert.equal(put.status, 200, await put.text())
    assert.equal(put.headers.get('etag'), `"${md5Of(body)}"`)
    assert.deepEqual(await readFile(join(endpoint().bucketFolder, 'fetch/large.bin')), body)
    const got = await aws.fetch(`${base}/fetch/large.bin`)
    assert.equal(md5Of(new Uint8Array(await got.arrayBuffer())), md5Of(body))
    const listed = await (await aws.fetch(`${base}?list-type=2&prefix=fetch/`)).text()
    assert.match(listed, /<Key>fetch\/large\.bin<\/Key>/)
    const deleted = await aws.fetch(`${base}/fetch/large.bin`, { method: 'DELETE' })
    assert.equal(deleted.status, 204)
    assert.equal(existsSync(join(endpoint().bucketFolder, 'fetch')), false)
  })

  it('uses keys and prefixes with characters that it signs encoded and sends raw', async () => {
    const { aws, base } = clientOf(endpoint())
    const key = "fetch/it's (1)$&=,;:@!*é.txt"
    const put = await aws.fetch(`${base}/${key}`, { method: 'PUT', body: 'odd' })
    assert.equal(put.status, 200, await put.text())
    assert.equal(await (await aws.fetch(`${base}/${key}`)).text(), 'odd')
    const query = new URLSearchParams({ 'list-type': '2', prefix: "fetch/it's (1)$&=" })
    const listed = await (await aws.fetch(`${base}?${query}`)).text()
    assert.match(listed, /<KeyCount>1<\/KeyCount>/)
    assert.equal((await aws.fetch(`${base}/${key}`, { method: 'DELETE' })).status, 204)
  })

  it('presigns an upload and a download', async () => {
    const { aws, base } = clientOf(endpoint())
    const body = testBytes('signed query', 4096)
    const presign = (method: string): Promise<Request> =>
      aws.sign(`${base}/fetch/presigned?X-Amz-Expires=60`, { method, aws: { signQuery: true } })
    const put = await fetch((await presign('PUT')).url, {
      method: 'PUT',
      body: new Uint8Array(body),
    })
    assert.equal(put.status, 200, await put.text())
    const got = await fetch((await presign('GET')).url)
    assert.deepEqual(Buffer.from(await got.arrayBuffer()), body)
  })
})
