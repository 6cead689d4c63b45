/** Bytes of a text that are fetched for the preview. */
export const previewBytes = 256 * 1024

/** The maximum share of unreadable characters in a text. */
const maxStrange = 0.05

/**
 * Decodes the beginning of an object: UTF-8, the encoding of its byte order mark, or latin1.
 * Undefined if it is not text.
 */
export function decodeText(bytes: Uint8Array<ArrayBuffer>): string | undefined {
  const text = decode(bytes)
  const strange = text.match(/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/g)?.length ?? 0
  return strange > text.length * maxStrange || text.includes('\u0000') ? undefined : text
}

function decode(bytes: Uint8Array<ArrayBuffer>): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    // With `stream` a character cut off at the end is held back instead of rejected.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    // Not UTF-8: every byte is a latin1 character.
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
