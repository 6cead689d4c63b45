import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  attributesIn,
  fieldsOf,
  markIn,
} from '../../../../../../src/storage/drives/s3/objects/object-fields.ts'

const latin1 = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((n) => String.fromCharCode(n)),
})

test('any value comes back from ASCII that a header field brings as it is', () => {
  fc.assert(
    fc.property(
      fc.oneof(latin1, fc.constantFrom('=?utf-8?b?eA==?=', '=?UTF-8?B?eA==?=')),
      (value) => {
        const attributes = { headers: { 'content-language': value }, metadata: { name: value } }
        const { ContentLanguage, Metadata } = fieldsOf(attributes, 'mark')
        for (const sent of [ContentLanguage ?? '', Metadata.name ?? '']) {
          assert.match(sent, /^[!-~](?:[ -~]*[!-~])?$/)
        }
        const found = attributesIn({
          ETag: '"e"',
          ContentLanguage,
          Metadata: { ...Metadata } as Record<string, string>,
        })
        assert.deepEqual(found, { ...attributes, etag: 'e' })
      },
    ),
  )
})

test('plain values are the same in the store, and the mark is not shown', () => {
  const attributes = { headers: { 'content-type': 'text/plain' }, metadata: { a: 'x  y' } }
  const { ContentType, Metadata } = fieldsOf(attributes, 'mark')
  assert.equal(ContentType, 'text/plain')
  assert.deepEqual(Metadata, { a: 'x  y', 'bucketry-write': 'mark' })
  assert.equal(markIn({ Metadata: { 'bucketry-write': 'mark' } }), 'mark')
  assert.deepEqual(attributesIn({ Metadata: { 'bucketry-write': 'mark' } }).metadata, {})
})

test("a client's metadata with the name of the mark is kept, and is no mark", () => {
  for (const name of [
    'bucketry-write',
    'bucketry-write-x',
    'bucketry-write-x-x',
    'bucketry-writes',
  ]) {
    for (const mark of [undefined, 'mark']) {
      const metadata = { [name]: 'mine', other: 'o' }
      const { Metadata } = fieldsOf({ headers: {}, metadata }, mark)
      assert.equal(markIn({ Metadata }), mark)
      assert.deepEqual(attributesIn({ Metadata }).metadata, metadata)
    }
  }
})

test('an object without a type is one without a type', () => {
  const { ContentType } = fieldsOf({ headers: {}, metadata: {} }, undefined)
  assert.deepEqual(attributesIn({ ContentType }).headers, {})
})

test('tags are a query', () => {
  const fields = fieldsOf({ headers: {}, metadata: {}, tags: { 'a b': 'c&d', é: '' } }, undefined)
  assert.equal(fields.Tagging, 'a%20b=c%26d&%C3%A9=')
})
