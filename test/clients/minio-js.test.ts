import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import { Client, CopyConditions } from 'minio'
import { testBucket } from '../support/gateway-process.ts'
import { md5Of, sha256OfFile, testBytes, writeTestFile } from '../support/test-bytes.ts'
import { describeOverBoth, type Endpoint } from './endpoint.ts'
import { trustAuthority } from './trust-authority.ts'

/** 7.1.3: later versions up to 8.0.7 number the parts of a stream from 2. */
function clientOf({ gateway, caFile, scheme }: Endpoint): Client {
  trustAuthority(caFile)
  const { accessKey, secretKey } = gateway.credentials
  const useSSL = scheme === 'https'
  return new Client({ endPoint: '127.0.0.1', port: gateway.port, useSSL, accessKey, secretKey })
}

async function keysBelow(client: Client, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const item of client.listObjectsV2(testBucket, prefix, true)) keys.push(item.name)
  return keys
}

describeOverBoth('minio-js', { skip: false }, (endpoint) => {
  it('putObject uploads a stream of unknown length in parts and fGetObject downloads it', async () => {
    const client = clientOf(endpoint())
    const source = join(endpoint().workFolder, 'minio-stream.bin')
    await writeTestFile(source, 150 * 1024 * 1024)
    await client.putObject(testBucket, 'minio/stream.bin', createReadStream(source))
    const expected = await sha256OfFile(source)
    assert.equal(await sha256OfFile(join(endpoint().bucketFolder, 'minio/stream.bin')), expected)
    const copy = join(endpoint().workFolder, 'minio-stream.copy')
    await client.fGetObject(testBucket, 'minio/stream.bin', copy)
    assert.equal(await sha256OfFile(copy), expected)
  })

  it('fPutObject, statObject, copyObject, listObjectsV2 and removeObjects work together', async () => {
    const client = clientOf(endpoint())
    assert.equal(await client.bucketExists(testBucket), true)
    const source = join(endpoint().workFolder, 'minio-small.bin')
    const bytes = await writeTestFile(source, 70_000)
    await client.fPutObject(testBucket, 'set/one two.bin', source, { 'X-Amz-Meta-Colour': 'blue' })
    assert.deepEqual(await readFile(join(endpoint().bucketFolder, 'set/one two.bin')), bytes)
    const facts = await client.statObject(testBucket, 'set/one two.bin')
    assert.equal(facts.size, bytes.length)
    assert.equal(facts.etag, md5Of(bytes))
    assert.equal(facts.metaData.colour, 'blue')
    const from = `/${testBucket}/set/one two.bin`
    await client.copyObject(testBucket, 'set/three.bin', from, new CopyConditions())
    assert.deepEqual(await keysBelow(client, 'set/'), ['set/one two.bin', 'set/three.bin'])
    await client.removeObjects(testBucket, ['set/one two.bin', 'set/three.bin'])
    assert.deepEqual(await keysBelow(client, 'set/'), [])
  })

  // Its fast-xml-parser refuses a document with more than 1,000 entities.
  it('listObjects and listObjectsV2 list 1,100 keys, with an ETag each', async () => {
    const client = clientOf(endpoint())
    const folder = join(endpoint().bucketFolder, 'many')
    await mkdir(folder)
    const names = Array.from({ length: 1_100 }, (_, index) => `${index + 10_000}`)
    for (const name of names) await writeFile(join(folder, name), name)
    const expected = names.map((name) => `many/${name}`)
    assert.deepEqual(await keysBelow(client, 'many/'), expected)
    const etags: string[] = []
    // Not recursive: without a delimiter S3 gives no NextMarker, which this client needs.
    for await (const { etag } of client.listObjects(testBucket, 'many/')) etags.push(etag)
    assert.equal(etags.length, names.length)
    for (const etag of etags) assert.match(etag, /^[0-9a-f]{32}-1$/)
  })

  it('presigned URLs upload and download', async () => {
    const client = clientOf(endpoint())
    const body = testBytes('minio presigned', 2000).toString('base64')
    const putUrl = await client.presignedPutObject(testBucket, 'minio/presigned', 60)
    const put = await fetch(putUrl, { method: 'PUT', body })
    assert.equal(put.status, 200, await put.text())
    const got = await fetch(await client.presignedGetObject(testBucket, 'minio/presigned', 60))
    assert.equal(await got.text(), body)
    assert.equal(await text(await client.getObject(testBucket, 'minio/presigned')), body)
  })
})
