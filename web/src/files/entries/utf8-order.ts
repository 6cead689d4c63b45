/** The order of a listing: by UTF-8 bytes, which equals the order of code points. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index)
    const right = b.charCodeAt(index)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** In UTF-16, surrogates sort below U+E000, although their code points are above. */
function rank(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800
  return unit >= 0xd800 ? unit + 0x2000 : unit
}

const lastCodePoint = '\u{10ffff}'

/**
 * A text just before this key in listing order: a `start-after` value that makes this key the next.
 */
export function rightBefore(key: string): string {
  const last = Array.from(key).at(-1)
  const code = last?.codePointAt(0) ?? 0
  if (last === undefined || code === 0) return key.slice(0, -1)
  const before = code - 1 >= 0xd800 && code - 1 <= 0xdfff ? 0xd7ff : code - 1
  return key.slice(0, -last.length) + String.fromCodePoint(before) + lastCodePoint
}
