/** RFC 9110 section 5.1, in lower case. */
export const fieldName = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/

/** The values that Node accepts (RFC 9110 section 5.5): tab, visible ASCII, space and latin1. */
export const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * A field value without the spaces and tabs around it (RFC 9110 section 5.5). String.trim would
 * also remove a byte 0xA0, which is the last one of `à` in UTF-8.
 */
export function withoutOuterSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isSpace(text.charCodeAt(start))) start += 1
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1
  return text.slice(start, end)
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09
}
