import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  decodeContinuationToken,
  encodeContinuationToken,
} from '../../../../../src/storage/s3/listing/continuation-token.ts'
import { isS3Error } from '../read-fixture.ts'

test('a continuation token decodes to its key, for any key', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (key) => {
      const token = encodeContinuationToken(key)
      assert.match(token, /^[A-Za-z0-9_-]+$/)
      assert.equal(decodeContinuationToken(token), key)
    }),
  )
})

const encode = (text: string) => Buffer.from(text).toString('base64url')

for (const token of [
  'nonsense',
  'a b',
  '%%%',
  `${encodeContinuationToken('a')}=`,
  encode('a'),
  encode('{}'),
  encode('[2,"a"]'),
  encode('[1,2]'),
  encode('[1]'),
  encode('null'),
]) {
  test(`a continuation token ${token} from elsewhere is InvalidArgument`, () => {
    assert.throws(
      () => decodeContinuationToken(token),
      isS3Error('InvalidArgument', { ArgumentName: 'continuation-token' }),
    )
  })
}
