/** Escapes all but the unreserved characters (RFC 3986 section 2.3): letters, digits and `-._~`. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, escaped)
}

/** Escapes a key like Java's URLEncoder, which keeps `-._*`, except that a space becomes `%20` and `/` stays. */
export function encodeKey(key: string): string {
  if (/^[\w\-.*/]*$/.test(key)) return key
  return encodeURIComponent(key.toWellFormed())
    .replaceAll('%2F', '/')
    .replace(/[!'()~]/g, escaped)
}

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

/**
 * The Content-Disposition that saves a download under this name, in both forms of RFC 6266 section 4.3; the extended form
 * is that of RFC 8187 section 3.2.
 */
export function attachmentNamed(name: string): string {
  // Browsers disagree on quotes, backslashes and percent signs in the plain form (RFC 6266 appendix D), but all prefer
  // the extended form.
  const plain = name.toWellFormed().replace(/[^\x20-\x7e]|["\\%]/gu, '_')
  return `attachment; filename="${plain}"; filename*=UTF-8''${percentEncode(name)}`
}
