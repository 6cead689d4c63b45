import assert from 'node:assert/strict'
import { test } from 'node:test'
import { S3Error } from '../../../../../src/storage/s3/errors.ts'
import { refuseUnsupportedHeaders } from '../../../../../src/storage/s3/headers/unsupported-headers.ts'

const refused: readonly (readonly [name: string, value: string])[] = [
  ['x-amz-server-side-encryption', 'AES256'],
  ['x-amz-server-side-encryption', 'aws:kms'],
  ['x-amz-server-side-encryption-customer-algorithm', 'AES256'],
  ['x-amz-server-side-encryption-bucket-key-enabled', 'true'],
  ['x-amz-tagging', 'a=b'],
  ['x-amz-object-lock-mode', 'GOVERNANCE'],
  ['x-amz-object-lock-legal-hold', 'ON'],
  ['x-amz-website-redirect-location', '/x'],
  ['x-amz-storage-class', 'GLACIER'],
  ['x-amz-write-offset-bytes', '0'],
]

for (const [name, value] of refused) {
  test(`refuseUnsupportedHeaders returns NotImplemented for ${name}: ${value}`, () => {
    assert.throws(
      () => refuseUnsupportedHeaders({ [name]: value }, 'refuse'),
      (error) =>
        error instanceof S3Error &&
        error.code === 'NotImplemented' &&
        error.elements.Header === name,
    )
  })
}

test('refuseUnsupportedHeaders accepts values that request nothing special', () => {
  refuseUnsupportedHeaders(
    {
      'content-type': 'x',
      'x-amz-storage-class': 'STANDARD',
      'x-amz-object-lock-legal-hold': 'OFF',
      'x-amz-server-side-encryption-bucket-key-enabled': 'false',
      'x-amz-meta-acl': 'public-read',
      'x-amz-date': 'x',
    },
    'refuse',
  )
})

test('refuseUnsupportedHeaders accepts AES256, and no other encryption, if it is claimed', () => {
  refuseUnsupportedHeaders({ 'x-amz-server-side-encryption': 'AES256' }, 'claim')
  const others = [
    { 'x-amz-server-side-encryption': 'aws:kms' },
    { 'x-amz-server-side-encryption-aws-kms-key-id': 'AES256' },
    { 'x-amz-server-side-encryption-customer-algorithm': 'AES256' },
  ]
  for (const headers of others) {
    assert.throws(() => refuseUnsupportedHeaders(headers, 'claim'), S3Error)
  }
})
