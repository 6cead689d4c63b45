import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { xxhash3, xxhash64, xxhash128 } from 'hash-wasm'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket } from '../support/gateway-process.ts'
import { testBytes } from '../support/test-bytes.ts'
import { exchange } from '../support/wire-case.ts'

const target = `/${testBucket}/object`

/** In hexadecimal digits, of the whole at once. */
const algorithms: Readonly<Record<string, (bytes: Uint8Array) => string | Promise<string>>> = {
  MD5: (bytes) => hash('md5', bytes),
  SHA512: (bytes) => hash('sha512', bytes),
  XXHASH64: (bytes) => xxhash64(bytes),
  XXHASH3: (bytes) => xxhash3(bytes),
  XXHASH128: (bytes) => xxhash128(bytes),
}

const escaped = (text: string) => text.replace(/[+]/g, '\\+')

for (const [algorithm, digest] of Object.entries(algorithms)) {
  const header = `x-amz-checksum-${algorithm.toLowerCase()}`
  const checksumOf = async (bytes: Uint8Array) => Buffer.from(await digest(bytes), 'hex')

  test(`${algorithm} of large objects that arrive at the same time`, async (t) => {
    const gateway = await startGatewayInProcess(t)
    const uploads = [1, 2, 3, 4].map(async (number) => {
      const body = testBytes(`${number}`, 3_000_000 + number)
      const value = (await checksumOf(body)).toString('base64')
      const put = { method: 'PUT', target: `${target}${number}`, headers: { [header]: value } }
      const refused = await exchange(gateway, { ...put, body: body.subarray(1) })
      assert.match(refused.text, /<Code>BadDigest</)
      const { status, text } = await exchange(gateway, { ...put, body })
      assert.equal(status, 200, text)
      const read = { ...put, headers: { 'x-amz-checksum-mode': 'ENABLED' } }
      const { headers } = await exchange(gateway, { ...read, method: 'HEAD' })
      assert.equal(headers.get(header), value)
    })
    await Promise.all(uploads)
  })

  test(`${algorithm} of an upload in parts covers their digests`, async (t) => {
    const gateway = await startGatewayInProcess(t)
    const begun = await exchange(gateway, {
      ...{ method: 'POST', target: `${target}?uploads` },
      headers: { 'x-amz-checksum-algorithm': algorithm },
    })
    assert.equal(begun.headers.get('x-amz-checksum-type'), 'COMPOSITE')
    const query = `uploadId=${/<UploadId>([^<]+)/.exec(begun.text)?.[1]}`
    const digests: Buffer[] = []
    let list = ''
    for (const number of [1, 2]) {
      const body = testBytes(`${number}`, 1_000)
      const value = await checksumOf(body)
      const sent = value.toString('base64')
      const reply = await exchange(gateway, {
        ...{ method: 'PUT', target: `${target}?partNumber=${number}&${query}`, body },
        headers: { [header]: sent },
      })
      assert.equal(reply.headers.get(header), sent, reply.text)
      digests.push(value)
      list += `<Part><PartNumber>${number}</PartNumber><ETag>${reply.headers.get('etag')}</ETag><Checksum${algorithm}>${sent}</Checksum${algorithm}></Part>`
    }
    const completed = await exchange(gateway, {
      ...{ method: 'POST', target: `${target}?${query}` },
      body: `<CompleteMultipartUpload>${list}</CompleteMultipartUpload>`,
    })
    const value = `${(await checksumOf(Buffer.concat(digests))).toString('base64')}-2`
    const elements = new RegExp(
      `<Checksum${algorithm}>${escaped(value)}</Checksum${algorithm}><ChecksumType>COMPOSITE<`,
    )
    assert.match(completed.text, elements)
    const attributes = await exchange(gateway, {
      ...{ method: 'GET', target: `${target}?attributes` },
      headers: { 'x-amz-object-attributes': 'Checksum' },
    })
    assert.match(attributes.text, elements)
    const whole = await exchange(gateway, {
      ...{ method: 'POST', target: `${target}?uploads` },
      headers: { 'x-amz-checksum-algorithm': algorithm, 'x-amz-checksum-type': 'FULL_OBJECT' },
    })
    assert.match(whole.text, /FULL_OBJECT checksum type cannot be used/)
  })
}
