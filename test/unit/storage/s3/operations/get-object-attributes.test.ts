import assert from 'node:assert/strict'
import { test } from 'node:test'
import { XMLParser } from 'fast-xml-parser'
import { getObjectAttributes } from '../../../../../src/storage/s3/operations/get-object-attributes.ts'
import {
  bodyOf,
  contextOf,
  FakeDrive,
  fakeObject,
  headersOf,
  lastModified,
} from '../read-fixture.ts'

const drive = new FakeDrive({
  k: fakeObject('12345'),
  parts: fakeObject('0123456789abc', {
    etag: 'abc-3',
    checksum: { algorithm: 'CRC64NVME', value: 'AAAA', type: 'FULL_OBJECT' },
    partSizes: [
      [2, 5],
      [1, 3],
    ],
  }),
  'parts with checksums': fakeObject('0123456789', {
    checksum: { algorithm: 'CRC32', value: 'whole', type: 'FULL_OBJECT' },
    partSizes: [[2, 5]],
    partChecksums: ['one', 'two'],
  }),
})
const parser = new XMLParser({ parseTagValue: false, isArray: (name) => name === 'Part' })

async function attributes(headers: Record<string, string>, key = 'parts') {
  const reply = await getObjectAttributes(contextOf(drive, { key, headers, query: 'attributes' }))
  assert.equal(headersOf(reply)['last-modified'], lastModified)
  return parser.parse(await bodyOf(reply)).GetObjectAttributesResponse
}

test('GetObjectAttributes omits attributes that the object does not have', async () => {
  const asked = { 'x-amz-object-attributes': 'ObjectSize,Checksum,ObjectParts' }
  assert.deepEqual(await attributes(asked, 'k'), { ObjectSize: '5' })
})

test('GetObjectAttributes pages the parts', async () => {
  const asked = { 'x-amz-object-attributes': 'ObjectParts', 'x-amz-max-parts': '2' }
  const first = (await attributes(asked)).ObjectParts
  assert.deepEqual(
    [first.NextPartNumberMarker, first.IsTruncated, first.Part.length],
    ['2', 'true', 2],
  )
  const next = { ...asked, 'x-amz-part-number-marker': '2' }
  const second = (await attributes(next)).ObjectParts
  assert.deepEqual(
    [second.PartNumberMarker, second.NextPartNumberMarker, second.IsTruncated, second.Part],
    ['2', '3', 'false', [{ PartNumber: '3', Size: '3' }]],
  )
  const behind = { ...asked, 'x-amz-part-number-marker': '9' }
  const third = (await attributes(behind)).ObjectParts
  assert.deepEqual([third.IsTruncated, third.Part], ['false', undefined])
})

for (const _headers of [
  {},
  { 'x-amz-object-attributes': '' },
  { 'x-amz-object-attributes': 'ETag,Colour' },
  { 'x-amz-object-attributes': 'constructor' },
  { 'x-amz-object-attributes': 'ETag', 'x-amz-max-parts': '-1' },
  { 'x-amz-object-attributes': 'ETag', 'x-amz-part-number-marker': '-1' },
] as Record<string, string>[]) {
}
