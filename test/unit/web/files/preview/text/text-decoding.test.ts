import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decode, isText } from '../../../../../../web/src/files/preview/text/text-decoding.ts'

describe('decode', () => {
  test('reads UTF-8, even if the end splits a character', () => {
    const bytes = new TextEncoder().encode('añ€')
    assert.equal(decode(bytes), 'añ€')
    assert.equal(decode(bytes.slice(0, -1)), 'añ')
  })

  test('reads UTF-16 by its byte order mark', () => {
    assert.equal(decode(new Uint8Array([0xff, 0xfe, 0x61, 0, 0xe9, 0])), 'aé')
    assert.equal(decode(new Uint8Array([0xfe, 0xff, 0, 0x61, 0, 0xe9])), 'aé')
  })

  test('reads the rest as latin1', () => {
    assert.equal(decode(new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x21])), 'café!')
  })

  test('reads a later part in the encoding of the beginning', () => {
    assert.equal(decode(new Uint8Array([0x61, 0, 0xe9, 0]), 'utf-16le'), 'aé')
  })

  test('returns an empty text for no bytes', () => assert.equal(decode(new Uint8Array(0)), ''))
})

describe('isText', () => {
  const told = (bytes: readonly number[]) => isText(decode(new Uint8Array(bytes)))

  test('rejects content with zero bytes or many control characters', () => {
    assert.equal(told([0x61, 0, 0x62]), false)
    assert.equal(told([1, 2, 3, 4, 0x61]), false)
  })

  test('accepts the escape codes of a colored log', () => {
    assert.equal(isText('\u001b[31mred\u001b[0m\n'), true)
  })
})
