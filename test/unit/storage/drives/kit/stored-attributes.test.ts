import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  asciiJson,
  parseAttributes,
  provisionalAttributes,
} from '../../../../../src/storage/drives/kit/stored-attributes.ts'

const attributes = { etag: 'e', headers: {}, metadata: {} }

describe('asciiJson', () => {
  it('is ASCII without control characters, and is reversed by parseAttributes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const stored = { ...attributes, metadata: { value } }
        const text = asciiJson(stored)
        assert.match(text, /^[ -~]*$/)
        assert.deepEqual(parseAttributes(text), stored)
      }),
    )
  })
})

describe('parseAttributes', () => {
  it('returns undefined for anything but attributes', () => {
    const texts = [undefined, '', '{', 'null', '[]', '7', '{"etag":"e"}']
    const incomplete = [
      { ...attributes, etag: 1 },
      { ...attributes, headers: null },
      { ...attributes, metadata: 'm' },
    ]
    for (const text of [...texts, ...incomplete.map((value) => JSON.stringify(value))]) {
      assert.equal(parseAttributes(text), undefined, text)
    }
  })
})

describe('provisionalAttributes', () => {
  it('have an ETag that clients do not take for an MD5, and the type of the name', () => {
    const { etag, headers } = provisionalAttributes('a/b.jpg', 'v')
    assert.match(etag, /^[0-9a-f]{32}-1$/)
    assert.deepEqual(headers, { 'content-type': 'image/jpeg' })
  })

  it('have the type of source code, and a general one for an unknown name', () => {
    const typeOf = (name: string) => provisionalAttributes(name, 'v').headers['content-type']
    assert.equal(typeOf('tools/run.PY'), 'text/x-python')
    assert.equal(typeOf('main.go'), 'text/x-go')
    assert.equal(typeOf('constructor'), 'application/octet-stream')
    assert.equal(typeOf('a.constructor'), 'application/octet-stream')
  })
})
