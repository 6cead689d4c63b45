import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bucketOfHost,
  decodeKey,
  parseAddress,
  virtualHostReason,
} from '../../../../../src/storage/s3/address/address.ts'
import { S3Error } from '../../../../../src/storage/s3/errors.ts'
import { servedBuckets } from '../../../../support/served-buckets.ts'
import { serviceFor } from '../service-for.ts'

const hasCode = (code: string) => (error: unknown) =>
  error instanceof S3Error && error.code === code

test('parseAddress distinguishes service, bucket and object', () => {
  assert.deepEqual(parseAddress('/'), { level: 'service' })
  assert.deepEqual(parseAddress('/photos'), { level: 'bucket', bucket: 'photos' })
  assert.deepEqual(parseAddress('/photos/'), { level: 'bucket', bucket: 'photos' })
  assert.deepEqual(parseAddress('/photos/a'), { level: 'object', bucket: 'photos', rawKey: 'a' })
})

test('parseAddress keeps the key byte for byte', () => {
  for (const rawKey of ['/', '//', 'a//b', '../x', '..', 'a%2Fb', 'a/../b', 'a+b', 'a/']) {
    const address = parseAddress(`/photos/${rawKey}`)
    assert.deepEqual(address, { level: 'object', bucket: 'photos', rawKey })
  }
})

test('parseAddress treats an empty bucket as a bucket, never as the service', () => {
  assert.deepEqual(parseAddress('//key'), { level: 'object', bucket: '', rawKey: 'key' })
})

test('decodeKey decodes percent escapes and leaves + alone', () => {
  assert.equal(decodeKey('a%20b+c%2Fd'), 'a b+c/d')
  assert.equal(decodeKey('%C3%A9%F0%9F%98%80'), 'é😀')
})

test('decodeKey reads unescaped bytes above 0x7F as UTF-8', () => {
  assert.equal(decodeKey(Buffer.from('é😀').toString('latin1')), 'é😀')
})

test('decodeKey refuses broken escapes and bytes that are not UTF-8', () => {
  for (const raw of ['%', '%4', '%zz', '%FF', '%C3', '%ED%A0%80', '\u00ff']) {
    assert.throws(() => decodeKey(raw), hasCode('InvalidURI'), raw)
  }
})

test('decodeKey limits keys to 1,024 bytes of UTF-8', () => {
  assert.equal(decodeKey('a'.repeat(1024)).length, 1024)
  assert.equal(decodeKey('%C3%A9'.repeat(512)).length, 512)
  assert.throws(() => decodeKey('a'.repeat(1025)), hasCode('KeyTooLongError'))
  assert.throws(() => decodeKey('%C3%A9'.repeat(513)), hasCode('KeyTooLongError'))
})

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
