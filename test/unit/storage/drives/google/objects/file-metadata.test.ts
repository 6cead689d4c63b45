import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Attributes } from '../../../../../../src/storage/drives/attributes.ts'
import {
  packAttributes,
  packBeside,
  unpackAttributes,
} from '../../../../../../src/storage/drives/google/objects/file-metadata.ts'

const md5 = 'd41d8cd98f00b204e9800998ecf8427e'
const plain: Attributes = { etag: md5, headers: {}, metadata: {} }

function without(properties: Readonly<Record<string, string | null>>): Record<string, string> {
  const entries = Object.entries(properties)
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null))
}

/** Latin1, as header values are. */
const value = fc.string({
  unit: fc.integer({ min: 32, max: 255 }).map((unit) => String.fromCharCode(unit)),
  maxLength: 400,
})

/**
 * Names of headers are tokens (RFC 9110 section 5.6.2). Others would also meet a fault of V8 in Node 24: after an object
 * with the key `\\`, JSON.parse can read the key `\"` as `\\`.
 */
const nameOfMetadata = fc.stringMatching(/^[a-z0-9!#$%&'*+.^_`|~-]{1,20}$/)

const metadataOfClients = fc.dictionary(nameOfMetadata, value, { noNullPrototype: true })

describe('packAttributes', () => {
  test("stays within Drive's limits for any attributes", () => {
    fc.assert(
      fc.property(metadataOfClients, (metadata) => {
        const { properties, isWhole } = packAttributes({ ...plain, metadata }, md5)
        // One more belongs to files with deep keys.
        assert.ok(Object.keys(properties).length <= 29)
        for (const [name, text] of Object.entries(properties)) {
          assert.ok(Buffer.byteLength(name + text) <= 124)
        }
        const unpacked = unpackAttributes(without(properties), md5)
        assert.equal(unpacked?.isWhole, isWhole)
        if (isWhole) assert.deepEqual(unpacked?.attributes, { ...plain, metadata })
        else assert.equal(unpacked?.attributes.etag, md5)
      }),
    )
  })

  test('omits part sizes before metadata, and reports that something is missing', () => {
    const partSizes = Array.from({ length: 1000 }, (_, index) => [1, 5_000_000 + index] as const)
    const attributes = { ...plain, metadata: { a: 'b' }, partSizes }
    const { properties, isWhole } = packAttributes(attributes, md5)
    assert.equal(isWhole, false)
    const unpacked = unpackAttributes(without(properties), md5)
    assert.deepEqual(unpacked, { attributes: { ...plain, metadata: { a: 'b' } }, isWhole: false })
  })

  test('keeps the content type and a private ACL even when nothing else fits', () => {
    const headers = { 'content-type': 'text/plain', 'content-language': 'x'.repeat(4000) }
    const { properties } = packAttributes({ ...plain, headers, isPrivate: true }, md5)
    const unpacked = unpackAttributes(without(properties), md5)
    assert.deepEqual(unpacked?.attributes.headers, { 'content-type': 'text/plain' })
    assert.equal(
      unpacked?.attributes.isPrivate,
      true,
      'else everyone could read it in a public bucket',
    )
  })

  test('removes leftovers of longer attributes, and no other properties', () => {
    const metadata = { long: 'x'.repeat(2000) }
    const packed = packAttributes({ ...plain, metadata }, md5).properties
    const before = without({ ...packed, deep: '1', theirs: 'y' })
    const { properties } = packAttributes(plain, md5, before)
    const after = without({ ...before, ...properties })
    assert.deepEqual(unpackAttributes(after, md5)?.attributes, plain)
    assert.equal(after.deep, '1')
    assert.equal(after.theirs, 'y')
    assert.equal(properties.s9, null)
  })
})

describe('packBeside', () => {
  const next = 'ffffffffffffffffffffffffffffffff'
  const of = (length: number): Attributes => ({ ...plain, metadata: { long: 'x'.repeat(length) } })

  test('keeps both sets in 29 properties through repeated changes', () => {
    let properties = without(packAttributes(of(100), md5).properties)
    let kept = md5
    for (let round = 0; round < 5; round++) {
      const coming = String(round).padStart(32, '0')
      const packed = packBeside(of(round * 250), coming, { before: properties, kept })
      assert.equal(packed.isKeptCut, false)
      properties = { ...without({ ...properties, ...packed.properties }) }
      assert.ok(Object.keys(properties).length <= 29)
      assert.equal(unpackAttributes(properties, kept)?.isWhole, true)
      assert.deepEqual(unpackAttributes(properties, coming), {
        attributes: of(round * 250),
        isWhole: true,
      })
      kept = coming
    }
  })

  test('omits what does not fit beside the other set', () => {
    const some = without(packAttributes(of(2000), md5).properties)
    const packed = packBeside(of(2000), next, { before: some, kept: md5 })
    assert.equal(packed.isWhole, false)
    assert.equal(packed.isKeptCut, false)
    const after = without({ ...some, ...packed.properties })
    assert.ok(Object.keys(after).length <= 29)
    assert.equal(unpackAttributes(after, next)?.attributes.etag, md5)
  })

  test('cuts the other set where nothing fits beside it, and reports it', () => {
    const full = without(packAttributes(of(3000), md5).properties)
    const packed = packBeside(of(100), next, { before: { ...full, deep: '1' }, kept: md5 })
    assert.equal(packed.isKeptCut, true)
    assert.equal(packed.isWhole, true)
    const after = without({ ...full, deep: '1', ...packed.properties })
    assert.ok(Object.keys(after).length <= 30)
    assert.deepEqual(unpackAttributes(after, next)?.attributes, of(100))
    assert.deepEqual(unpackAttributes(after, md5), { attributes: plain, isWhole: false })
    assert.equal(after.deep, '1')
  })

  test("stays within Drive's limits beside any other set", () => {
    const of = (metadata: Attributes['metadata']) => ({ ...plain, metadata })
    fc.assert(
      fc.property(metadataOfClients, metadataOfClients, value, (old, coming, type) => {
        const headers = { 'content-type': type }
        const before = without(packAttributes({ ...of(old), headers }, md5).properties)
        const packed = packBeside({ ...of(coming), headers }, next, { before, kept: md5 })
        const after = without({ ...before, ...packed.properties })
        assert.ok(Object.keys(after).length <= 29)
        for (const bytes of [md5, next]) {
          assert.equal(unpackAttributes(after, bytes)?.attributes.etag, md5)
        }
      }),
    )
  })

  test('uses all properties where the file has no attributes to keep', () => {
    const packed = packBeside(of(3000), next, { before: { theirs: 'x' }, kept: md5 })
    assert.equal(packed?.isWhole, true)
  })
})

describe('unpackAttributes', () => {
  test('returns undefined for other bytes, foreign properties and missing pieces', () => {
    const properties = without(packAttributes(plain, md5).properties)
    assert.equal(unpackAttributes(properties, '0'.repeat(32)), undefined)
    assert.equal(unpackAttributes(properties, undefined), undefined)
    assert.equal(unpackAttributes({}, md5), undefined)
    assert.equal(unpackAttributes({ md5, s0: '{"etag":"x"' }, md5), undefined)
    assert.equal(unpackAttributes({ md5, s0: '{}' }, md5), undefined)
  })
})
