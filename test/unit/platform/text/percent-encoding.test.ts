import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { attachmentNamed } from '../../../../src/platform/text/percent-encoding.ts'

describe('attachmentNamed', () => {
  for (const [name, expected] of [
    ['a.txt', `attachment; filename="a.txt"; filename*=UTF-8''a.txt`],
    ['a b+c%.txt', `attachment; filename="a b+c_.txt"; filename*=UTF-8''a%20b%2Bc%25.txt`],
    ['é.txt', `attachment; filename="_.txt"; filename*=UTF-8''%C3%A9.txt`],
    ['q"\\.txt', `attachment; filename="q__.txt"; filename*=UTF-8''q%22%5C.txt`],
    [`it's (1)*!`, `attachment; filename="it's (1)*!"; filename*=UTF-8''it%27s%20%281%29%2A%21`],
  ] as const) {
    test(`names ${JSON.stringify(name)}`, () => assert.equal(attachmentNamed(name), expected))
  }

  test('is a valid header field that contains the whole name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const value = attachmentNamed(name)
        assert.match(value, /^[\x20-\x7e]*$/)
        const [, extended = ''] = /filename\*=UTF-8''(.*)$/.exec(value) ?? []
        assert.match(extended, /^[A-Za-z0-9!#$&+\-.^_`|~%]*$/)
        assert.equal(decodeURIComponent(extended), name)
      }),
    )
  })
})
