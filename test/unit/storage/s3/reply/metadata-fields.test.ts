import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { metadataFields } from '../../../../../src/storage/s3/reply/metadata-fields.ts'

const sent = (value: string): string => metadataFields({ a: value })[0]?.[1] ?? ''
const bytesOf = (text: string): string => Buffer.from(text).toString('latin1')

/** As a mail program reads it: RFC 2047 section 6.2. */
function decoded(field: string): string {
  return field
    .split(' ')
    .map((word) => {
      const [, base64 = ''] = /^=\?UTF-8\?B\?([A-Za-z0-9+/]+=*)\?=$/.exec(word) ?? assert.fail(word)
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'))
    })
    .join('')
}

test('metadataFields sends ASCII as it was stored, words that a client wrote among it', () => {
  for (const value of [
    '',
    'a  b',
    'a\tb',
    '=?UTF-8?Q?caf=C3=A9?=',
    '=?utf-8?b?w6k=?= =?UTF-8?B?!',
  ]) {
    assert.equal(sent(value), value)
  }
})

test('metadataFields sends UTF-8 and latin1 in words of RFC 2047', () => {
  assert.equal(sent(bytesOf('café')), '=?UTF-8?B?Y2Fmw6k=?=')
  assert.equal(sent('caf\u00e9'), '=?UTF-8?B?Y2Fmw6k=?=')
  assert.equal(sent(bytesOf('日本語')), '=?UTF-8?B?5pel5pys6Kqe?=')
})

test('metadataFields sends words of at most 75 characters, each with whole characters', () => {
  const text = fc
    .string({ unit: 'binary', maxLength: 120 })
    .filter((value) => /[^\0-\x7f]/.test(value))
  fc.assert(
    fc.property(text, (value) => {
      const field = sent(bytesOf(value))
      for (const word of field.split(' ')) assert.ok(word.length <= 75, word)
      assert.equal(decoded(field), value)
    }),
  )
})

test('metadataFields counts an empty name, which no header can have', () => {
  assert.deepEqual(metadataFields({ '': 'b', c: 'd' }), [
    ['x-amz-missing-meta', '1'],
    ['x-amz-meta-c', 'd'],
  ])
})
