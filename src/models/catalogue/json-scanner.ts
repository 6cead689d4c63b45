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

const whiteSpace = /[ \t\n\r]*/y
const string = /"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"/y
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** Called with the path of every value and the offset at which it begins. */
type Visit = (path: JsonPath, offset: number) => void

class Scanner {
  readonly #text: string
  readonly #visit: Visit
  readonly #path: (string | number)[] = []
  #offset = 0

  constructor(text: string, visit: Visit) {
    this.#text = text
    this.#visit = visit
  }

  scan(): void {
    this.#value()
    if (this.#offset < this.#text.length) this.#fail('the end of the file')
  }

  #value(): void {
    this.#take(whiteSpace)
    if (this.#path.length > maxDepth) this.#fail(`at most ${maxDepth} levels`)
    this.#visit(this.#path, this.#offset)
    const first = this.#text[this.#offset]
    if (first === '{') this.#members('}', () => this.#memberName())
    else if (first === '[') this.#members(']', (index) => index)
    else if (this.#take(string) === undefined && this.#take(scalar) === undefined) {
      this.#fail('a value')
    }
    this.#take(whiteSpace)
  }

  /** What is between brackets or braces; `keyOf` reads what stands before a member's value. */
  #members(end: string, keyOf: (index: number) => string | number): void {
    this.#offset++
    this.#take(whiteSpace)
    if (this.#skip(end)) return
    for (let index = 0; ; index++) {
      this.#path.push(keyOf(index))
      this.#value()
      this.#path.pop()
      if (this.#skip(end)) return
      if (!this.#skip(',')) this.#fail(`\`,\` or \`${end}\``)
    }
  }

  #memberName(): string {
    this.#take(whiteSpace)
    const name = this.#take(string)
    if (name === undefined) this.#fail('a field name in double quotes')
    this.#take(whiteSpace)
    if (!this.#skip(':')) this.#fail('`:`')
    return JSON.parse(name)
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
    throw new JsonSyntaxError(`no JSON: expected ${expected}`, this.#offset)
  }
}

/**
 * Index at which the value of a path begins; of the nearest value around it when the path itself is
 * not in the text, as of a field that is missing. Of repeated names the last counts, as in
 * JSON.parse.
 *
 * @throws JsonSyntaxError when the text is no JSON.
 */
export function offsetOf(text: string, path: JsonPath): number {
  let nearest = { depth: -1, offset: 0 }
  const scanner = new Scanner(text, (here, offset) => {
    const isOnTheWay = here.every((step, depth) => step === path[depth])
    if (isOnTheWay && here.length >= nearest.depth) nearest = { depth: here.length, offset }
  })
  scanner.scan()
  return nearest.offset
}

/** Counted from 1. */
export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** `connections[2].baseUrl`; names that are no identifiers in brackets and quotes. */
export function pathText(path: JsonPath): string {
  const steps = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`
    return /^[A-Za-z_]\w*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
  })
  return steps.join('').replace(/^\./, '')
}
