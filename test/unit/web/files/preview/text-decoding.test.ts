import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeText } from '../../../../../web/src/files/preview/text-decoding.ts'

describe('decodeText', () => {
  test('reads UTF-8, even if the end splits a character', () => {
    const bytes = new TextEncoder().encode('añ€')
    assert.equal(decodeText(bytes), 'añ€')
    assert.equal(decodeText(bytes.slice(0, -1)), 'añ')
  })

  test('reads UTF-16 by its byte order mark', () => {
    assert.equal(decodeText(new Uint8Array([0xff, 0xfe, 0x61, 0, 0xe9, 0])), 'aé')
    assert.equal(decodeText(new Uint8Array([0xfe, 0xff, 0, 0x61, 0, 0xe9])), 'aé')
  })

  test('reads the rest as latin1', () => {
    assert.equal(decodeText(new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x21])), 'café!')
  })

  test('rejects content with zero bytes or many control characters', () => {
    assert.equal(decodeText(new Uint8Array([0x61, 0, 0x62])), undefined)
    assert.equal(decodeText(new Uint8Array([1, 2, 3, 4, 0x61])), undefined)
  })

  test('accepts the escape codes of a colored log', () => {
    assert.equal(
      decodeText(new TextEncoder().encode('\u001b[31mred\u001b[0m\n')),
      '\u001b[31mred\u001b[0m\n',
    )
  })

  test('returns an empty text for no bytes', () => assert.equal(decodeText(new Uint8Array(0)), ''))
})
