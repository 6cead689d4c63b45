import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bytesOf, readText } from '../../../../../web/src/files/edit/text-form.ts'

const wide = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')

describe('a text that is edited', () => {
  for (const [what, bytes] of [
    ['UTF-8', Buffer.from('a\nbé\n')],
    ['a byte order mark and CRLF', Buffer.from('\ufeffa\r\nb\r\n')],
    ['CR alone', Buffer.from('a\rb')],
    ['UTF-16, little end first', wide('aé\r\n😀')],
    ['UTF-16, big end first', wide('aé\n').swap16()],
    ['nothing', Buffer.from('')],
  ] as const) {
    test(`${what} is written back as it was read`, () => {
      const read = readText(new Uint8Array(bytes))
      assert.ok(read !== undefined)
      assert.ok(!read.text.includes('\r') && !read.text.startsWith('\ufeff'))
      assert.deepEqual(Buffer.from(bytesOf(read.text, read)), Buffer.from(bytes))
      assert.equal(read.isMixed, false)
    })
  }

  test('several kinds of line ends become the most frequent one', () => {
    const read = readText(new TextEncoder().encode('a\r\nb\nc\r\n'))
    assert.deepEqual([read?.isMixed, read?.lineEnd], [true, '\r\n'])
  })

  test('other bytes are not a text', () => {
    for (const bytes of [
      [0x66, 0xfc],
      [0, 1, 2],
      [0xff, 0xfe, 0x00],
    ]) {
      assert.equal(readText(Uint8Array.from(bytes)), undefined)
    }
  })
})
