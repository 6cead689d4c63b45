import { isUtf8 } from 'node:buffer'
import type { HeaderFields } from '../../../platform/http/message.ts'
import type { Attributes } from '../../drives/attributes.ts'

/** Bytes in a word: with `=?UTF-8?B?`, base64 and `?=` it has at most 75 characters (RFC 2047 section 2). */
const maxWordBytes = 45

const beyondAscii = /[\x80-\xff]/

/**
 * The user metadata of an object. A value beyond ASCII is sent in words of RFC 2047 (User Guide, "Working with object
 * metadata"); one that a client wrote in such words is ASCII, and sent as it was stored. A name that is empty cannot be
 * sent, so it is counted (API reference, GetObject, "x-amz-missing-meta").
 */
export function metadataFields(metadata: Attributes['metadata']): HeaderFields {
  return Object.entries(metadata).map(([name, value]) =>
    name === '' ? ['x-amz-missing-meta', '1'] : [`x-amz-meta-${name}`, asciiOf(value)],
  )
}

/**
 * Unlike AWS, which takes every byte for a character of latin1 and so encodes UTF-8 twice, the words have the text that
 * was sent.
 */
function asciiOf(value: string): string {
  if (!beyondAscii.test(value)) return value
  const bytes = Buffer.from(value, 'latin1')
  const words = ['']
  // A word has whole characters (RFC 2047 section 5).
  for (const character of isUtf8(bytes) ? bytes.toString() : value) {
    const longer = words.at(-1) + character
    if (Buffer.byteLength(longer) > maxWordBytes) words.push(character)
    else words[words.length - 1] = longer
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ')
}
