import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeKey, parseAddress } from '../../../../../src/storage/s3/address/address.ts'
import { S3Error } from '../../../../../src/storage/s3/errors.ts'

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
