/** How much of a text is fetched to be shown. */
export const previewBytes = 256 * 1024

/** Share of the letters that may be unreadable in a text. */
const maxStrange = 0.05

/**
 * The beginning of an object as text: UTF-8, or what its byte order mark says, or latin1 when it is
 * neither. Undefined: no text.
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
    // With `stream` a letter that the end cuts in two is kept back instead of refused.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    // Not UTF-8: every byte is a letter of latin1.
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
