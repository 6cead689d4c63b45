/** How errors and logs show values sent by a client. */
const maxShown = 256

/** A value chosen by a client, truncated: it may be as large as the header section. */
export function shortened(text: string, maxLength = maxShown): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

/** The same in quotes, for a message. */
export function quoted(text: string): string {
  return JSON.stringify(shortened(text))
}

/**
 * Characters that XML 1.0 cannot represent, not even as references (section 2.2, production Char).
 */
export const forbiddenInXml =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Text without those characters: a document with one is not well-formed. */
export function withoutForbidden(text: string): string {
  return text.replace(forbiddenInXml, '')
}
