import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { keyEncoding } from '../../../../../src/storage/s3/listing/key-encoding.ts'
import { isS3Error } from '../read-fixture.ts'

const encodeUrl = keyEncoding(new Map([['encoding-type', 'url']]))

for (const [key, encoded] of [
  ['test_file(3).png', 'test_file%283%29.png'],
  ['photos/2006/a.jpg', 'photos/2006/a.jpg'],
  ['a b+c', 'a%20b%2Bc'],
  ['100%', '100%25'],
  ["!'()~*", '%21%27%28%29%7E*'],
  ['gr\u00fcn', 'gr%C3%BCn'],
  ['\u0001\n', '%01%0A'],
  ['a%2Fb', 'a%252Fb'],
] as const) {
  test(`encoding-type=url writes ${JSON.stringify(key)} as ${encoded}`, () => {
    assert.equal(encodeUrl(key), encoded)
  })
}

test('decoders of both kinds reverse encoding-type=url', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (key) => {
      const encoded = encodeUrl(key)
      assert.equal(decodeURIComponent(encoded), key)
      assert.equal(decodeURIComponent(encoded.replaceAll('+', ' ')), key)
    }),
  )
})

test('keys are unchanged without an encoding-type, and any but url is refused', () => {
  assert.equal(keyEncoding(new Map())('a b'), 'a b')
  assert.throws(
    () => keyEncoding(new Map([['encoding-type', 'base64']])),
    isS3Error('InvalidArgument', { ArgumentName: 'encoding-type' }),
  )
})
