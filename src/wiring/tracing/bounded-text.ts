/** Characters of an attribute: a key has 1,024 bytes, a path of a client up to 64 KiB. */
export const maxAttributeLength = 1_024

/** A copy, because a part of a text keeps the whole text in memory as long as its span waits. */
export function boundedText(text: string): string {
  return Buffer.from(text.slice(0, maxAttributeLength)).toString()
}
