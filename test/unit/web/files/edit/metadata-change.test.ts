import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  changedMetadata,
  isListedVersion,
  type MetadataChange,
} from '../../../../../web/src/files/edit/metadata-change.ts'

const headersWith = (more: Record<string, string> = {}) =>
  new Headers({
    'content-type': 'text/plain',
    'content-language': 'caf\u00e9',
    expires: 'never',
    etag: '"e"',
    'accept-ranges': 'bytes',
    'x-amz-storage-class': 'GLACIER',
    'x-amz-meta-kept': '=?UTF-8?B?w6kg4oKs?=',
    'x-amz-meta-old': 'value',
    ...more,
  })

const change = (
  headers: ConstructorParameters<typeof Map<string, string>>[0],
  metadata: Record<string, string | undefined> = {},
) => ({ headers: new Map(headers), metadata: new Map(Object.entries(metadata)) }) as MetadataChange

test('what is not edited stays: other headers byte by byte, metadata as text, storage class and ACL', () => {
  const wanted = change([['Cache-Control', 'no-cache']], { new: 'ü', old: undefined })
  assert.deepEqual(changedMetadata(headersWith({ 'x-bucketry-acl': 'private' }), wanted), {
    'Content-Type': 'text/plain',
    'Cache-Control': 'no-cache',
    'Content-Language': 'caf\u00e9',
    Expires: 'never',
    'x-amz-metadata-directive': 'REPLACE',
    'x-amz-storage-class': 'GLACIER',
    'x-amz-acl': 'private',
    'x-amz-meta-kept': Buffer.from('é €').toString('latin1'),
    'x-amz-meta-new': Buffer.from('ü').toString('latin1'),
  })
})

test('an empty header is removed, and spaces and controls in metadata become a word', () => {
  const wanted = change([['Content-Type', '']], { a: ' x', b: 'é\n', c: '' })
  const headers = changedMetadata(headersWith(), wanted) ?? {}
  assert.equal(headers['Content-Type'], undefined)
  const { 'x-amz-meta-a': a, 'x-amz-meta-b': b, 'x-amz-meta-c': c } = headers
  assert.deepEqual([a, b, c], ['=?UTF-8?B?IHg=?=', '=?UTF-8?B?w6kK?=', ''])
})

test('nothing is sent if the object has these values already', () => {
  const same = change([['Content-Type', 'text/plain']], { old: 'value', none: undefined })
  assert.equal(changedMetadata(headersWith(), same), undefined)
  assert.equal(changedMetadata(headersWith(), change([['Cache-Control', '']])), undefined)
})

for (const [what, header] of [
  ['the database does not respond', { 'x-bucketry-attributes': 'unavailable' }],
  ['without a name', { 'x-amz-missing-meta': '1' }],
] as const) {
  test(`an object is not copied if it would lose metadata: ${what}`, () => {
    const wanted = change([['Content-Type', 'a/b']])
    assert.throws(() => changedMetadata(headersWith(header), wanted), {
      name: 'RangeError',
      message: new RegExp(what),
    })
  })
}

test('metadata of an object has at most 2,048 bytes, with what it had', () => {
  // `kept` has 4 + 6 bytes.
  const fits = { old: undefined, x: 'a'.repeat(2_048 - 11) }
  assert.ok(changedMetadata(headersWith(), change([], fits)))
  const tooMuch = { ...fits, x: `${fits.x}é` }
  assert.throws(() => changedMetadata(headersWith(), change([], tooMuch)), /These have 2,050/)
})

test('the version is that of the list, or any while the list has none', () => {
  assert.ok(isListedVersion(headersWith(), { etag: 'e' }))
  assert.ok(isListedVersion(headersWith(), { etag: '' }))
  assert.equal(isListedVersion(headersWith(), { etag: 'other' }), false)
})
