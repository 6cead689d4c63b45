/** Escapes all but the unreserved characters (RFC 3986 section 2.3): letters, digits and `-._~`. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, escaped)
}

/** Escapes a key as Java's URLEncoder, which keeps `-._*`, but a space is `%20` and `/` stays. */
export function encodeKey(key: string): string {
  if (/^[\w\-.*/]*$/.test(key)) return key
  return encodeURIComponent(key.toWellFormed())
    .replaceAll('%2F', '/')
    .replace(/[!'()~]/g, escaped)
}

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
