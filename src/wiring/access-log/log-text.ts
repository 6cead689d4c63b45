/**
 * Text of clients in a log line. Readers of the format split at spaces and quotes, and AWS describes no
 * escapes for them, so whatever could end a field or a line is percent-encoded.
 */

/** What stands for a value that is unknown or does not apply (AWS, "Amazon S3 server access log format"). */
export const nothing = '-'

const plain = /^[!#-[\]-~]+$/
const plainWithSpaces = /^[ !#-[\]-~]+$/

/** A field without quotes. `text` is latin1: one character per byte. */
export function field(text: string | undefined, maxLength: number): string {
  if (text === undefined || text === '') return nothing
  return cut(plain.test(text) ? text : escaped(text, plain), maxLength)
}

/** A field in quotes that may have spaces. */
export function quotedWithSpaces(text: string | undefined, maxLength: number): string {
  if (text === undefined || text === '') return `"${nothing}"`
  return `"${cut(plainWithSpaces.test(text) ? text : escaped(text, plainWithSpaces), maxLength)}"`
}

/** A field in quotes without spaces: Athena's expression for Referer ends at the first one. */
export function quoted(text: string | undefined, maxLength: number): string {
  return `"${field(text, maxLength)}"`
}

/** The text, or its beginning and `...`. */
export function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, Math.max(0, maxLength - 3))}...`
}

function escaped(text: string, kept: RegExp): string {
  return Array.from(text, (character) =>
    kept.test(character)
      ? character
      : Array.from(Buffer.from(character, 'latin1'), percentEncoded).join(''),
  ).join('')
}

function percentEncoded(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}
