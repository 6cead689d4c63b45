import assert from 'node:assert/strict'
import { test } from 'node:test'
import { S3Error } from '../../../../../src/storage/s3/errors.ts'
import {
  attributesFromHeaders,
  contentEncodingToKeep,
} from '../../../../../src/storage/s3/headers/object-headers.ts'

test('attributesFromHeaders keeps the six headers and user metadata, and nothing else', () => {
  assert.deepEqual(
    attributesFromHeaders({
      host: 'h',
      'content-type': 'text/plain',
      'cache-control': 'no-store',
      'content-length': '3',
      expires: 'soon',
      'x-amz-meta-colour': 'gr\u00fcn',
      'x-amz-date': 'x',
    }),
    {
      headers: { 'cache-control': 'no-store', 'content-type': 'text/plain', expires: 'soon' },
      metadata: { colour: 'gr\u00fcn' },
    },
  )
})

test('attributesFromHeaders keeps metadata named __proto__', () => {
  const sent = JSON.parse('{"x-amz-meta-__proto__":"v"}') as Record<string, string>
  const { metadata } = attributesFromHeaders(sent)
  assert.deepEqual(Object.entries(metadata), [['__proto__', 'v']])
})

test('attributesFromHeaders accepts 2,048 bytes of metadata and refuses one more', () => {
  const fits = attributesFromHeaders({ 'x-amz-meta-a': 'x'.repeat(2047) })
  assert.equal(fits.metadata.a?.length, 2047)
  assert.throws(
    () => attributesFromHeaders({ 'x-amz-meta-a': 'x'.repeat(2047), 'x-amz-meta-b': '' }),
    (error) => error instanceof S3Error && error.code === 'MetadataTooLarge',
  )
})

test('contentEncodingToKeep removes aws-chunked in any case and position', () => {
  assert.equal(contentEncodingToKeep('aws-chunked'), undefined)
  assert.equal(contentEncodingToKeep('AWS-Chunked, gzip'), 'gzip')
  assert.equal(contentEncodingToKeep('gzip,aws-chunked'), 'gzip')
  assert.equal(contentEncodingToKeep('AWS-chunked,'), undefined)
  assert.equal(contentEncodingToKeep('aws-chunked, gzip, br'), 'gzip,br')
  assert.equal(contentEncodingToKeep('br, gzip'), 'br, gzip')
  assert.equal(contentEncodingToKeep(undefined), undefined)
})
