import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DriveError } from '../../../../../../src/storage/drives/drive-error.ts'
import {
  parseStoreAddress,
  storeAddressText,
} from '../../../../../../src/storage/drives/s3/requests/store-names.ts'

test('an address is a store, a bucket, or a folder in it', () => {
  const endpoint = 'https://s3.example.org:9000'
  assert.deepEqual(parseStoreAddress('s3+https://s3.example.org:9000'), { endpoint, prefix: '' })
  assert.deepEqual(parseStoreAddress('s3+https://s3.example.org:9000/b/'), {
    ...{ endpoint, bucket: 'b', prefix: '' },
  })
  assert.deepEqual(parseStoreAddress('s3+https://s3.example.org:9000/b/a%20b/%C3%A9'), {
    ...{ endpoint, bucket: 'b', prefix: 'a b/é/' },
  })
})

test('all spellings of an address have one form', () => {
  for (const spelling of [
    's3+https://s3.example.org/b/a b/',
    's3+https://S3.example.org:443/b/a%20b',
    's3+https://s3.example.org/x/../b/%61%20b',
    's3+https://s3.example.org/x/%2E%2E/b/y/.%2e/a b',
  ]) {
    const text = storeAddressText(parseStoreAddress(spelling))
    assert.equal(text, 's3+https://s3.example.org/b/a%20b')
    assert.deepEqual(parseStoreAddress(text), parseStoreAddress(spelling))
  }
})

test('other addresses are refused, and a password is not shown', () => {
  for (const text of [
    's3:bucket',
    's3+ftp://host/b',
    's3+https://',
    's3+https://key:hunter2@host/b',
    's3+https://host/b?x=hunter2',
    's3+https://host/b#c',
    's3+https://host//b',
    's3+https://host/b//c',
    's3+https://host/%ff',
    's3+https://host/b%2Fc',
  ]) {
    assert.throws(
      () => parseStoreAddress(text),
      (error) => error instanceof DriveError && !error.message.includes('hunter2'),
      text,
    )
  }
})
