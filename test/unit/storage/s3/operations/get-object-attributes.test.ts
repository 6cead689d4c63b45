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
  isS3Error,
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

test('GetObjectAttributes returns all requested attributes', async () => {
  const all = { 'x-amz-object-attributes': 'ETag, Checksum,ObjectParts,StorageClass,ObjectSize' }
  assert.deepEqual(await attributes(all), {
    ETag: 'abc-3',
    Checksum: { ChecksumCRC64NVME: 'AAAA', ChecksumType: 'FULL_OBJECT' },
    ObjectParts: {
      PartsCount: '3',
      PartNumberMarker: '0',
      NextPartNumberMarker: '3',
      MaxParts: '1000',
      IsTruncated: 'false',
      Part: [
        { PartNumber: '1', Size: '5' },
        { PartNumber: '2', Size: '5' },
        { PartNumber: '3', Size: '3' },
      ],
    },
    StorageClass: 'STANDARD',
    ObjectSize: '13',
  })
})

test('GetObjectAttributes lists the checksums of the parts', async () => {
  const asked = { 'x-amz-object-attributes': 'ObjectParts' }
  const { ObjectParts } = await attributes(asked, 'parts with checksums')
  assert.deepEqual(ObjectParts.Part, [
    { PartNumber: '1', Size: '5', ChecksumCRC32: 'one' },
    { PartNumber: '2', Size: '5', ChecksumCRC32: 'two' },
  ])
})

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

for (const headers of [
  {},
  { 'x-amz-object-attributes': '' },
  { 'x-amz-object-attributes': 'ETag,Colour' },
  { 'x-amz-object-attributes': 'constructor' },
  { 'x-amz-object-attributes': 'ETag', 'x-amz-max-parts': '-1' },
  { 'x-amz-object-attributes': 'ETag', 'x-amz-part-number-marker': '-1' },
] as Record<string, string>[]) {
  test(`GetObjectAttributes refuses ${JSON.stringify(headers)}`, async () => {
    await assert.rejects(attributes(headers), isS3Error('InvalidArgument'))
  })
}

test('GetObjectAttributes of a missing key is NoSuchKey', async () => {
  const headers = { 'x-amz-object-attributes': 'ETag' }
  await assert.rejects(attributes(headers, 'no'), isS3Error('NoSuchKey'))
})
