import assert from 'node:assert/strict'
import { test } from 'node:test'
import { S3Error } from '../../../../src/s3/errors.ts'
import { refuseWhatCannotBeKept } from '../../../../src/s3/headers/unsupported-headers.ts'

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
  ['x-amz-acl', 'public-read'],
  ['x-amz-acl', 'public-read-write'],
  ['x-amz-acl', 'authenticated-read'],
  ['x-amz-grant-read', 'uri="http://acs.amazonaws.com/groups/global/AllUsers"'],
  ['x-amz-write-offset-bytes', '0'],
]

for (const [name, value] of refused) {
  test(`refuseWhatCannotBeKept returns NotImplemented for ${name}: ${value}`, () => {
    assert.throws(
      () => refuseWhatCannotBeKept({ [name]: value }, false),
      (error) =>
        error instanceof S3Error &&
        error.code === 'NotImplemented' &&
        error.elements.Header === name,
    )
  })
}

test('refuseWhatCannotBeKept accepts values that request nothing special', () => {
  refuseWhatCannotBeKept(
    {
      'content-type': 'x',
      'x-amz-acl': 'private',
      'x-amz-storage-class': 'STANDARD',
      'x-amz-object-lock-legal-hold': 'OFF',
      'x-amz-server-side-encryption-bucket-key-enabled': 'false',
      'x-amz-meta-acl': 'public-read',
      'x-amz-date': 'x',
    },
    false,
  )
})

test('refuseWhatCannotBeKept accepts a public-read ACL on a public bucket only', () => {
  refuseWhatCannotBeKept({ 'x-amz-acl': 'public-read' }, true)
  assert.throws(() => refuseWhatCannotBeKept({ 'x-amz-acl': 'public-read-write' }, true), S3Error)
})
