/** The maximum share of unreadable characters in a text. */
const maxStrange = 0.05

/** Whether the beginning of a file is text. */
export function isText(text: string): boolean {
  const strange = text.match(/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/g)?.length ?? 0
  return strange <= text.length * maxStrange && !text.includes('\u0000')
}

export type WideEncoding = 'utf-16le' | 'utf-16be'

/** The encoding that a byte order mark names. */
export function wideEncoding(bytes: Uint8Array): WideEncoding | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return undefined
}

/**
 * Decodes UTF-8, the encoding of a byte order mark, or latin1.
 *
 * @param wide the encoding of the whole text, if these bytes are not its beginning.
 */
export function decode(bytes: Uint8Array<ArrayBuffer>, wide = wideEncoding(bytes)): string {
  if (wide !== undefined) return new TextDecoder(wide).decode(bytes)
  try {
    // With `stream` a character cut off at the end is held back instead of rejected.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    // Not UTF-8: every byte is a latin1 character.
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
