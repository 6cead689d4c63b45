import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  deepSegmentOfName,
  googlePathOf,
  maxFolders,
  nameOfDeepSegment,
  nameOfSegment,
  segmentOfName,
} from '../../../../../src/storage/drives/google/google-names.ts'

/** Names that resemble escaped forms, and others. */
const piece = fc.constantFrom('%', '2F', '25', '00', '.%', '.', 'a', 'é', '😀', '2f', ' ')
const segment = fc
  .array(fc.oneof(piece, fc.constant('\0')), { maxLength: 7 })
  .map((pieces) => pieces.join(''))
const name = fc
  .array(fc.oneof(piece, fc.constant('/')), { minLength: 1, maxLength: 7 })
  .map((pieces) => pieces.join(''))

describe('nameOfSegment', () => {
  test('returns most segments unchanged', () => {
    for (const text of ['a', 'a.txt', '..', '.', ' ', '100%', 'a%file', 'x'.repeat(1024), '%2f']) {
      assert.equal(nameOfSegment(text), text)
      assert.equal(segmentOfName(text), text)
    }
  })

  const pairs = [
    ['', '.%'],
    ['.%', '.%25'],
    ['.%25', '.%2525'],
    ['\0', '%00'],
    ['%00', '%2500'],
    ['a\0b%2500', 'a%00b%252500'],
    ['a%2Fb', 'a/b'],
    ['a%252Fb', 'a%2Fb'],
    ['%2F', '/'],
  ] as const
  for (const [text, escaped] of pairs) {
    test(`encodes ${JSON.stringify(text)} as ${escaped}, and decodes it`, () => {
      assert.equal(nameOfSegment(text), escaped)
      assert.equal(segmentOfName(escaped), text)
    })
  }

  test('is reversible for every segment, and never returns an empty name or a NUL', () => {
    fc.assert(
      fc.property(segment, (text) => {
        const given = nameOfSegment(text)
        assert.ok(given !== '' && !given.includes('\0'))
        assert.equal(segmentOfName(given), text)
      }),
    )
  })
})

describe('segmentOfName', () => {
  test('returns a different segment for every name that a user may choose', () => {
    fc.assert(
      fc.property(name, (given) => {
        const text = segmentOfName(given)
        assert.ok(text !== undefined && !text.includes('/'))
        assert.equal(nameOfSegment(text), given)
      }),
    )
  })

  test('returns undefined for ill-formed text', () => {
    for (const given of ['', 'a\0b', 'a\ud800']) assert.equal(segmentOfName(given), undefined)
  })
})

describe('googlePathOf', () => {
  test('splits a key at its slashes', () => {
    assert.deepEqual(googlePathOf('a'), { folders: [], segment: 'a', isDeep: false })
    assert.deepEqual(googlePathOf('a//b/'), { folders: ['a', '', 'b'], segment: '', isDeep: false })
  })

  test("keeps segments that are too deep in the file's name", () => {
    const folders = Array.from({ length: maxFolders }, (_, index) => `f${index}`)
    const prefix = `${folders.join('/')}/`
    assert.deepEqual(googlePathOf(`${prefix}a`), { folders, segment: 'a', isDeep: false })
    for (const rest of ['a/b', '/', 'a/b/', '%2F/\0/%00']) {
      assert.deepEqual(googlePathOf(prefix + rest), { folders, segment: rest, isDeep: true })
      assert.equal(deepSegmentOfName(nameOfDeepSegment(rest)), rest)
    }
    assert.equal(nameOfDeepSegment('a%2F/b'), 'a%2F/b')
  })
})
