import assert from 'node:assert/strict'
import { test } from 'node:test'
import { removeEmptyHeaders } from '../../../../../src/storage/s3/headers/empty-headers.ts'

function keptOf(names: readonly string[]): string[] {
  const headers = Object.fromEntries(names.map((name) => [name, '']))
  removeEmptyHeaders(headers)
  return Object.keys(headers)
}

test('removeEmptyHeaders removes headers without a value, whatever they are for', () => {
  const names = [
    ...['x-amz-acl', 'x-amz-grant-read', 'x-amz-storage-class', 'x-amz-object-lock-mode'],
    ...['x-amz-checksum-algorithm', 'x-amz-checksum-mode', 'x-amz-checksum-type', 'if-match'],
    ...['x-amz-metadata-directive', 'x-amz-copy-source-if-match', 'x-amz-copy-source-range'],
    ...['content-type', 'range', 'x-amz-some-later-header'],
  ]
  assert.deepEqual(keptOf(names), [])
})

test('removeEmptyHeaders keeps digests, lengths, a copy source and metadata without a value', () => {
  const names = [
    ...['content-md5', 'x-amz-checksum-crc32', 'x-amz-checksum-sha256', 'x-amz-checksum-'],
    ...['x-amz-copy-source', 'x-amz-decoded-content-length', 'x-amz-meta-a', 'x-amz-meta-'],
  ]
  assert.deepEqual(keptOf(names), names)
})

test('removeEmptyHeaders keeps every value', () => {
  const headers = { 'if-match': '*', range: ' ', 'x-amz-acl': 'private' }
  removeEmptyHeaders(headers)
  assert.deepEqual(headers, { 'if-match': '*', range: ' ', 'x-amz-acl': 'private' })
})
