/**
 * A strict walk over JSON text (RFC 8259) that knows where it is. `JSON.parse` reads the values;
 * this finds the line of a mistake, be it in the syntax or in a field that a schema refuses.
 */

export type JsonPath = readonly (string | number)[]

/** Text that is no JSON, and where that shows. */
export class JsonSyntaxError extends Error {
  /** Index into the text. */
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.name = 'JsonSyntaxError'
    this.offset = offset
  }
}

/** Deeper than anything that people write; keeps the walk off the end of the stack. */
const maxDepth = 200
const tooDeep = `nested deeper than ${maxDepth} levels`

const quote = 0x22
const backslash = 0x5c
const space = 0x20
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** A value that somebody asks for, or one around it. */
class Spot {
  /** Index into the text; undefined until the value is found. */
  offset: number | undefined
  readonly inner = new Map<string | number, Spot>()

  /** A value that is there again replaces all that was in the first. */
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

  /** What is between brackets or braces; `keyOf` reads what stands before a member's value. */
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

  /** By hand: a pattern's memory ends at some millions of characters. */
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
      // A control character, or the end of the text, where there is no code at all.
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
 * Indices at which the values of paths begin, all found in one walk; of the nearest value around it
 * when a path itself is not in the text, as of a field that is missing. Of repeated names the last
 * counts, as in JSON.parse.
 *
 * @throws JsonSyntaxError when the text is no JSON, or nested deeper than anything that people write.
 */
export function offsetsOf(text: string, paths: readonly JsonPath[]): readonly number[] {
  const whole = new Spot()
  const ways = paths.map((path) => wayTo(whole, path))
  new Scanner(text).scan(whole)
  return ways.map((way) => way.findLast(({ offset }) => offset !== undefined)?.offset ?? 0)
}

/** The spots on the way to a path, from the whole text on. */
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
