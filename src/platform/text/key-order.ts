/**
 * S3 lists keys "in UTF-8 binary order" (API reference, ListObjectsV2). JavaScript compares UTF-16
 * units, which differs where surrogates (U+10000 and above) meet U+E000 to U+FFFF.
 */

const firstSurrogate = 0xd800
const firstAfterSurrogates = 0xe000
const lastCodePoint = 0x10ffff
const surrogate = /[\ud800-\udfff]/

/** Negative, 0 or positive if `a` is before, equal to, or after `b`. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index)
    const right = b.charCodeAt(index)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** Sorts in place and returns the same array. */
export function sortKeys(keys: string[]): string[] {
  // Without a comparator Array.prototype.sort compares UTF-16 units, natively.
  return keys.some((key) => surrogate.test(key)) ? keys.sort(compareKeys) : keys.sort()
}

/**
 * The smallest string that is greater than every string that begins with `prefix`; undefined if
 * there is none (for the empty prefix, or one that consists only of U+10FFFF).
 */
export function successorOfPrefix(prefix: string): string | undefined {
  const characters = Array.from(prefix)
  while (characters.length > 0) {
    const next = nextCodePoint(characters.pop()?.codePointAt(0) ?? lastCodePoint)
    if (next !== undefined) return characters.join('') + String.fromCodePoint(next)
  }
  return undefined
}

/** A text that sorts shortly before this key; keys between them are rare. */
export function keyBefore(key: string): string {
  const last = Array.from(key).at(-1)
  const code = last?.codePointAt(0) ?? 0
  if (last === undefined || code === 0) return key.slice(0, -1)
  // UTF-8 has no surrogates: U+D7FF is before U+E000.
  const isSurrogate = code > firstSurrogate && code <= firstAfterSurrogates
  const before = isSurrogate ? firstSurrogate - 1 : code - 1
  return key.slice(0, -last.length) + String.fromCodePoint(before, lastCodePoint)
}

function nextCodePoint(codePoint: number): number | undefined {
  if (codePoint === lastCodePoint) return undefined
  const next = codePoint + 1
  // UTF-8 has no surrogates: U+E000 follows U+D7FF.
  return next >= firstSurrogate && next < firstAfterSurrogates ? firstAfterSurrogates : next
}

/** Ranks surrogates above U+FFFF, like the code points that they encode. */
function rank(unit: number): number {
  if (unit < firstSurrogate) return unit
  return unit < firstAfterSurrogates ? unit + 0x2000 : unit - 0x800
}
