import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseQuery } from '../../../../../src/storage/s3/address/query.ts'
import {
  addHoistedHeaders,
  removeEmptyHeaders,
} from '../../../../../src/storage/s3/headers/request-fields.ts'

function hoistedFrom(rawQuery: string, headers: Record<string, string> = {}) {
  addHoistedHeaders(headers, parseQuery(rawQuery))
  return headers
}

test('Hoisted headers are the x-amz-* parameters in lower case', () => {
  assert.deepEqual(
    hoistedFrom('X-Amz-Meta-Colour=blue&x-amz-acl=private&x-amz-copy-source=b%2Fk%2520k&x-id=Copy'),
    { 'x-amz-meta-colour': 'blue', 'x-amz-acl': 'private', 'x-amz-copy-source': 'b/k%20k' },
  )
})

test('Hoisted headers have one latin1 character per byte', () => {
  assert.deepEqual(hoistedFrom('x-amz-meta-a=%C3%A9'), { 'x-amz-meta-a': '\u00c3\u00a9' })
})

test('Hoisted headers lose the spaces around a value, but no byte of a letter', () => {
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
  test(`Hoisted headers exclude ${parameter}`, () => {
    assert.deepEqual(hoistedFrom(parameter), {})
  })
}

for (const name of ['x-amz-checksum-mode', 'x-amz-checksum-algorithm', 'x-amz-checksum-type']) {
  test(`Hoisted headers include ${name}, which is not a checksum value`, () => {
    assert.deepEqual(hoistedFrom(`${name}=v`), { [name]: 'v' })
  })
}

for (const parameter of [
  'x-amz-meta-a=b%0D%0ASet-Cookie%3A%20c',
  'x-amz-meta-a=%00',
  'x-amz-meta-a%20b=c',
  'x-amz-meta-a%0A=c',
]) {
  test(`Hoisted headers refuse ${parameter}`, () => {
    assert.throws(() => hoistedFrom(parameter), { code: 'InvalidArgument' })
  })
}

test('Hoisted headers are not replaced by a header with another value', () => {
  const query = 'x-amz-checksum-type=COMPOSITE'
  assert.throws(() => hoistedFrom(query, { 'x-amz-checksum-type': 'FULL_OBJECT' }), {
    code: 'AccessDenied',
  })
  const same = { 'x-amz-checksum-type': 'COMPOSITE' }
  assert.deepEqual(hoistedFrom(query, { ...same }), same)
})

test('Hoisted headers that differ only in case are refused: their order is not signed', () => {
  for (const query of ['x-amz-meta-a=1&X-Amz-Meta-A=2', 'x-amz-meta-k=1&x-amz-meta-%E2%84%AA=2']) {
    assert.throws(() => hoistedFrom(query), { code: 'AccessDenied' })
  }
})

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
