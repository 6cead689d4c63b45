import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hoistedHeaders } from '../../../src/s3/hoisted-headers.ts'
import { parseQuery } from '../../../src/s3/query.ts'

const hoistedFrom = (rawQuery: string) => hoistedHeaders(parseQuery(rawQuery))

test('hoistedHeaders are the x-amz-* parameters in lower case', () => {
  assert.deepEqual(
    hoistedFrom('X-Amz-Meta-Colour=blue&x-amz-acl=private&x-amz-copy-source=b%2Fk%2520k&x-id=Copy'),
    { 'x-amz-meta-colour': 'blue', 'x-amz-acl': 'private', 'x-amz-copy-source': 'b/k%20k' },
  )
})

test('hoistedHeaders have one latin1 character per byte', () => {
  assert.deepEqual(hoistedFrom('x-amz-meta-a=%C3%A9'), { 'x-amz-meta-a': '\u00c3\u00a9' })
})

test('hoistedHeaders lose the spaces around a value, and no letter that ends like one', () => {
  assert.deepEqual(hoistedFrom('x-amz-copy-source=%20%09b/voil%C3%A0%20%09'), {
    'x-amz-copy-source': 'b/voil\u00c3\u00a0',
  })
})

for (const parameter of [
  'X-Amz-Algorithm=AWS4-HMAC-SHA256',
  'X-Amz-Content-Sha256=STREAMING-UNSIGNED-PAYLOAD-TRAILER',
  'X-Amz-Credential=c',
  'X-Amz-Date=20130524T000000Z',
  'X-Amz-Expires=60',
  'X-Amz-Security-Token=t',
  'X-Amz-Signature=s',
  'X-Amz-SignedHeaders=host',
  'x-amz-checksum-crc32=AAAAAA%3D%3D',
  'x-amz-checksum-sha256=x',
  'x-amz-decoded-content-length=1',
  'x-amz-sdk-checksum-algorithm=CRC32',
  'x-amz-trailer=x-amz-checksum-crc32',
]) {
  test(`hoistedHeaders leave ${parameter} out`, () => {
    assert.deepEqual(hoistedFrom(parameter), {})
  })
}

for (const name of ['x-amz-checksum-mode', 'x-amz-checksum-algorithm', 'x-amz-checksum-type']) {
  test(`hoistedHeaders have ${name}, which is no checksum`, () => {
    assert.deepEqual(hoistedFrom(`${name}=v`), { [name]: 'v' })
  })
}

for (const parameter of [
  'x-amz-meta-a=b%0D%0ASet-Cookie%3A%20c',
  'x-amz-meta-a=%00',
  'x-amz-meta-a%20b=c',
  'x-amz-meta-a%0A=c',
]) {
  test(`hoistedHeaders refuse ${parameter}`, () => {
    assert.throws(() => hoistedFrom(parameter), { code: 'InvalidArgument' })
  })
}
