import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { startGatewayInProcess } from '../../support/gateway-in-process.ts'
import { testBucket } from '../../support/gateway-process.ts'
import { testInBothModes } from '../../support/in-both-modes.ts'
import { beginUpload } from '../../support/open-upload.ts'
import { testBytes } from '../../support/test-bytes.ts'
import { UnorderedUpload } from '../../support/unordered-upload.ts'
import { exchange } from '../../support/wire-case.ts'

const target = `/${testBucket}/k`
const title = 'UploadPart of part 2, and nothing else'

testInBothModes({
  settings: { PART_WAIT_SECONDS: '1' },
  contract: async (gateway) => {
    const query = `?partNumber=2&uploadId=${await beginUpload(gateway, target)}`
    const request = { method: 'PUT', target: target + query, body: 'x' }
    return [{ title, ...request, status: 503, code: 'SlowDown' }]
  },
  aws: async (gateway) => {
    const query = `?partNumber=2&uploadId=${await beginUpload(gateway, target)}`
    return [{ title, ...{ method: 'PUT', target: target + query, body: 'x' }, status: 200 }]
  },
})

const aws = { COMPATIBILITY: 'aws', MIN_PART_MIB: '0' }

test('CompleteMultipartUpload takes any ascending list of parts that exist', async (t) => {
  const gateway = await startGatewayInProcess(t, aws)
  const upload = await UnorderedUpload.begin(gateway, target)
  for (const number of [10_000, 7, 2, 5])
    await upload.put(gateway, number, testBytes(`${number}`, 1000))
  const wrong = await upload.complete(gateway, [2, 3, 5])
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /<Code>InvalidPart</)
  const unordered = await upload.complete(gateway, [5, 2])
  assert.match(unordered.text, /<Code>InvalidPartOrder</)
  const list = [2, 7, 10_000]
  assert.equal((await upload.complete(gateway, list)).status, 200)
  assert.equal((await upload.complete(gateway, list)).status, 200, 'repeated')
  assert.deepEqual(await upload.found(gateway), upload.expected(list))
})

test('UploadPart replaces a part with other bytes, also of another size', async (t) => {
  const gateway = await startGatewayInProcess(t, aws)
  const upload = await UnorderedUpload.begin(gateway, target)
  for (const number of [3, 1, 2]) await upload.put(gateway, number, testBytes(`${number}`, 1000))
  for (const size of [1000, 1, 5000]) {
    await upload.put(gateway, 1, testBytes(`again ${size}`, size))
    const { text } = await upload.list(gateway)
    assert.match(text, new RegExp(`<PartNumber>1</PartNumber>.*?<Size>${size}</Size>`, 's'))
  }
  assert.equal((await upload.complete(gateway)).status, 200)
  assert.deepEqual(await upload.found(gateway), upload.expected())
})

test('UploadPartCopy adds a part in any order', async (t) => {
  const gateway = await startGatewayInProcess(t, aws)
  const source = testBytes('source', 3000)
  const from = `/${testBucket}/source`
  await exchange(gateway, { method: 'PUT', target: from, body: source })
  const upload = await UnorderedUpload.begin(gateway, target)
  const { text } = await exchange(gateway, {
    ...{ method: 'PUT', target: `${target}?partNumber=9&uploadId=${upload.uploadId}` },
    headers: { 'x-amz-copy-source': from, 'x-amz-copy-source-range': 'bytes=1000-2999' },
  })
  assert.match(text, /CopyPartResult/)
  upload.parts.set(9, source.subarray(1000))
  await upload.put(gateway, 4, testBytes('4', 10))
  assert.equal((await upload.complete(gateway)).status, 200)
  assert.deepEqual(await upload.found(gateway), upload.expected())
})

test('AbortMultipartUpload ends parts in progress, which leave nothing', async (t) => {
  const gateway = await startGatewayInProcess(t, aws)
  const upload = await UnorderedUpload.begin(gateway, target)
  await upload.put(gateway, 3, testBytes('3', 10))
  const sending = Array.from({ length: 20 }, (_, at) =>
    upload.put(gateway, at + 1, testBytes(`${at}`, 300_000)),
  )
  assert.equal((await upload.abort(gateway)).status, 204)
  const statuses = (await Promise.all(sending)).map(({ status }) => status)
  assert.deepEqual(
    statuses.filter((status) => status !== 200 && status !== 404),
    [],
  )
  assert.equal((await upload.put(gateway, 1, testBytes('late', 10))).status, 404)
  assert.equal((await upload.list(gateway)).status, 404)
  assert.equal(await upload.found(gateway), undefined)
})

for (const type of ['COMPOSITE', 'FULL_OBJECT']) {
  test(`CompleteMultipartUpload combines checksums of type ${type}`, async (t) => {
    const gateway = await startGatewayInProcess(t, aws)
    const headers = { 'x-amz-checksum-algorithm': 'CRC32', 'x-amz-checksum-type': type }
    const begun = await exchange(gateway, { method: 'POST', target: `${target}?uploads`, headers })
    const uploadId = /<UploadId>([^<]+)/.exec(begun.text)?.[1]
    const list: string[] = []
    for (const number of [6, 3, 4]) {
      const reply = await exchange(gateway, {
        ...{ method: 'PUT', target: `${target}?partNumber=${number}&uploadId=${uploadId}` },
        body: testBytes(`${number}`, 1000),
      })
      const [etag, crc] = ['etag', 'x-amz-checksum-crc32'].map((name) => reply.headers.get(name))
      const elements = `<ETag>${etag}</ETag><ChecksumCRC32>${crc}</ChecksumCRC32>`
      list[number] = `<Part><PartNumber>${number}</PartNumber>${elements}</Part>`
    }
    const completed = await exchange(gateway, {
      ...{ method: 'POST', target: `${target}?uploadId=${uploadId}` },
      body: `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`,
    })
    assert.equal(completed.status, 200, completed.text)
    const bytes = Buffer.concat([3, 4, 6].map((number) => testBytes(`${number}`, 1000)))
    const whole = Buffer.alloc(4)
    whole.writeUInt32BE(crc32(bytes))
    const combined = /<ChecksumCRC32>([^<]+)/.exec(completed.text)?.[1]
    if (type === 'FULL_OBJECT') assert.equal(combined, whole.toString('base64'))
    else assert.match(combined ?? '', /-3$/)
  })
}
