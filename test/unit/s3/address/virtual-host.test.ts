import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualHostReason } from '../../../../src/s3/address/virtual-host.ts'
import { servedBuckets } from '../../../support/served-buckets.ts'

const buckets = servedBuckets(['photos', 'my.files'])
const serviceAt = (publicUrl?: string) => ({
  buckets,
  settings: {
    region: 'us-east-1',
    regions: [],
    publicList: true,
    publicUrl,
    corsAllowedOrigins: [],
    serverSideEncryption: 'refuse' as const,
    minPartMib: 0,
  },
})

for (const [host, isRecognised] of [
  ['photos.example.com', true],
  ['PHOTOS.localhost:9000', true],
  ['my.files.example.com', true],
  ['photos', false],
  ['photos-eu.example.com', false],
  ['example.com', false],
  ['127.0.0.1:9000', false],
  [undefined, false],
] as const) {
  test(`A request for the host ${host} is ${isRecognised ? '' : 'not '}virtual-host style`, () => {
    const reason = virtualHostReason({ host }, serviceAt())
    assert.equal(reason !== undefined, isRecognised)
    if (isRecognised) assert.match(reason ?? '', /path-style/)
  })
}

test('The host name of the gateway may begin with the name of a bucket', () => {
  const own = serviceAt('https://photos.example.com')
  assert.equal(virtualHostReason({ host: 'photos.example.com' }, own), undefined)
  assert.match(virtualHostReason({ host: 'photos.other.com' }, own) ?? '', /path-style/)
})
