/**
 * A strict scanner for JSON text (RFC 8259) that tracks positions. `JSON.parse` reads the values;
 * the scanner finds the line of a mistake in the syntax or in a field that a schema rejects.
 */

export type JsonPath = readonly (string | number)[]

/** Invalid JSON, with the position of the error. */
export class JsonSyntaxError extends Error {
  /** Index into the text. */
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.name = 'JsonSyntaxError'
    this.offset = offset
  }
}

/** Deeper than any real catalogue; prevents a stack overflow. */
const maxDepth = 200
const tooDeep = `nested deeper than ${maxDepth} levels`

const quote = 0x22
const backslash = 0x5c
const space = 0x20
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** A requested value, or one that contains it. */
class Spot {
  /** Index into the text; undefined until the value is found. */
  offset: number | undefined
  readonly inner = new Map<string | number, Spot>()

  /** A repeated value replaces everything in the first one. */
  find(offset: number): void {
    this.forget()
    this.offset = offset
  }

  forget(): void {
    this.offset = undefined
    for (const spot of this.inner.values()) spot.forget()
  }
}

class Scanner {
  readonly #text: string
  #offset = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  scan(whole: Spot): void {
    this.#value(whole)
    if (this.#offset < this.#text.length) this.#fail('the end of the file')
  }

  #value(spot: Spot | undefined): void {
    this.#skipWhiteSpace()
    if (this.#depth > maxDepth) throw new JsonSyntaxError(tooDeep, this.#offset)
    spot?.find(this.#offset)
    const first = this.#text[this.#offset]
    if (first === '{') this.#members('}', spot, () => this.#memberName())
    else if (first === '[') this.#members(']', spot, (index) => index)
    else if (this.#takeString() === undefined && this.#take(scalar) === undefined) {
      this.#fail('a value')
    }
    this.#skipWhiteSpace()
  }

  /** Reads the contents of brackets or braces; `keyOf` reads the key of a member. */
  #members(end: string, spot: Spot | undefined, keyOf: (index: number) => string | number): void {
    this.#offset++
    this.#depth++
    this.#skipWhiteSpace()
    for (let index = 0; !this.#skip(end); index++) {
      if (index > 0 && !this.#skip(',')) this.#fail(`\`,\` or \`${end}\``)
      const key = keyOf(index)
      this.#value(spot?.inner.get(key))
    }
    this.#depth--
  }

  #memberName(): string {
    this.#skipWhiteSpace()
    const name = this.#takeString()
    if (name === undefined) this.#fail('a field name in double quotes')
    this.#skipWhiteSpace()
    if (!this.#skip(':')) this.#fail('`:`')
    return JSON.parse(name)
  }

  #skipWhiteSpace(): void {
    while (' \t\n\r'.includes(this.#text[this.#offset] ?? 'end')) this.#offset++
  }

  /** Scans by hand: a regular expression runs out of memory after some millions of characters. */
  #takeString(): string | undefined {
    const text = this.#text
    if (text[this.#offset] !== '"') return undefined
    let end = this.#offset + 1
    for (let code = text.charCodeAt(end); code !== quote; code = text.charCodeAt(end)) {
      if (code === backslash) {
        escaped.lastIndex = end
        const found = escaped.exec(text)?.[0]
        if (found === undefined) return undefined
        end += found.length
      } else if (code >= space) end++
      // A control character, or the end of the text, where the code is NaN.
      else return undefined
    }
    const found = text.slice(this.#offset, end + 1)
    this.#offset = end + 1
    return found
  }

  #take(token: RegExp): string | undefined {
    token.lastIndex = this.#offset
    const found = token.exec(this.#text)?.[0]
    this.#offset += found?.length ?? 0
    return found
  }

  #skip(character: string): boolean {
    if (this.#text[this.#offset] !== character) return false
    this.#offset++
    return true
  }

  #fail(expected: string): never {
    throw new JsonSyntaxError(`invalid JSON: expected ${expected}`, this.#offset)
  }
}

/**
 * The offsets of the values at these paths, found in one pass. If a path is not in the text, such
 * as a missing field, its nearest enclosing value is used. The last of repeated names counts, as in
 * JSON.parse.
 *
 * @throws JsonSyntaxError if the text is not valid JSON or nested too deep.
 */
export function offsetsOf(text: string, paths: readonly JsonPath[]): readonly number[] {
  const whole = new Spot()
  const ways = paths.map((path) => wayTo(whole, path))
  new Scanner(text).scan(whole)
  return ways.map((way) => way.findLast(({ offset }) => offset !== undefined)?.offset ?? 0)
}

/** The spots along a path, starting with the whole text. */
function wayTo(whole: Spot, path: JsonPath): readonly Spot[] {
  const way = [whole]
  let spot = whole
  for (const step of path) {
    const inner = spot.inner.get(step) ?? new Spot()
    spot.inner.set(step, inner)
    way.push(inner)
    spot = inner
  }
  return way
}

/** Counted from 1. */
export function lineOf(text: string, offset: number): number {
  let line = 1
  for (let end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', end + 1)) {
    line++
  }
  return line
}
