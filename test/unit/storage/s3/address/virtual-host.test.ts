import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bucketOfHost,
  virtualHostReason,
} from '../../../../../src/storage/s3/address/virtual-host.ts'
import { servedBuckets } from '../../../../support/served-buckets.ts'
import { serviceFor } from '../service-for.ts'

const serviceAt = (publicUrl?: string) =>
  serviceFor({ settings: { publicUrl }, buckets: servedBuckets(['photos', 'my.files']) })

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

for (const [host, bucket] of [
  ['photos.s3.example.net', 'photos'],
  ['a.b.s3.example.net:9000', 'a.b'],
  ['Photos.S3.EXAMPLE.net.', 'photos'],
  ['photos.example.net', 'photos'],
  ['s3.example.net', undefined],
  ['s3.example.net.:80', undefined],
  ['.s3.example.net', undefined],
  ['files.example.net:443', undefined],
  ['photos.files.example.net', 'photos.files'],
  ['xs3.example.net', 'xs3'],
  ['photos-s3.example.org', undefined],
  ['127.0.0.1', undefined],
  ['[::1]:9000', undefined],
  ['', undefined],
  [undefined, undefined],
] as const) {
  test(`The host ${host} names the bucket ${bucket}`, () => {
    const publicUrl = 'https://files.example.net'
    const virtualHostDomains = ['example.net', 's3.example.net']
    assert.equal(bucketOfHost(host, { virtualHostDomains, publicUrl }), bucket)
    assert.equal(bucketOfHost(host, { virtualHostDomains: [], publicUrl }), undefined)
  })
}
