import { isUtf8 } from 'node:buffer'

const codeOf = (character: string): number => character.charCodeAt(0)

const [quote, backslash, comma, colon] = [...'"\\,:'].map(codeOf) as [
  number,
  number,
  number,
  number,
]
const [brace, braceEnd, bracket, bracketEnd] = [...'{}[]'].map(codeOf) as [
  number,
  number,
  number,
  number,
]
const space: ReadonlySet<number> = new Set([...' \t\r\n'].map(codeOf))
/** What may follow a number or a word. */
const ends: ReadonlySet<number> = new Set([comma, braceEnd, bracketEnd, ...space])
const plain = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/
const escaped = /^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/
/** Numbers have no limit in JSON, but nobody sends longer ones. */
const mostPlainBytes = 1024
/** Of arrays and objects in each other. */
const mostLevels = 1_000_000

/**
 * Whether the bytes are JSON in UTF-8 (RFC 8259). JSON.parse would build what it reads: for a body of 64 MiB, more than a
 * GiB of objects.
 */
export function isJson(bytes: Buffer): boolean {
  return isUtf8(bytes) && new JsonReader(bytes).isJson()
}

class JsonReader {
  readonly #bytes: Buffer
  #at = 0
  /** Whether each open level is an object. */
  readonly #levels: boolean[] = []

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  isJson(): boolean {
    for (;;) {
      if (!this.#openOrSkipValue()) return false
      // A level that was just opened has no value yet.
      if (this.#wasOpened) continue
      if (!this.#closeLevels()) return false
      if (this.#levels.length === 0) return this.#next() === undefined
      if (!this.#skip(comma) || (this.#levels.at(-1) === true && !this.#skipName())) return false
    }
  }

  #wasOpened = false

  #openOrSkipValue(): boolean {
    const first = this.#next()
    this.#wasOpened = first === brace || first === bracket
    if (!this.#wasOpened) return first === quote ? this.#skipText() : this.#skipPlain()
    this.#at += 1
    const isObject = first === brace
    this.#levels.push(isObject)
    if (this.#levels.length > mostLevels) return false
    if (this.#next() === (isObject ? braceEnd : bracketEnd)) {
      this.#wasOpened = false
      return true
    }
    return !isObject || this.#skipName()
  }

  #closeLevels(): boolean {
    while (this.#levels.length > 0) {
      const next = this.#next()
      if (next !== braceEnd && next !== bracketEnd) return true
      if (this.#levels.pop() !== (next === braceEnd)) return false
      this.#at += 1
    }
    return true
  }

  /** A name and its colon. */
  #skipName(): boolean {
    return this.#next() === quote && this.#skipText() && this.#skip(colon)
  }

  #skip(byte: number): boolean {
    if (this.#next() !== byte) return false
    this.#at += 1
    return true
  }

  /** The byte behind white space. */
  #next(): number | undefined {
    while (space.has(this.#bytes[this.#at] ?? -1)) this.#at += 1
    return this.#bytes[this.#at]
  }

  #skipText(): boolean {
    for (this.#at += 1; this.#at < this.#bytes.length; this.#at += 1) {
      const byte = this.#bytes[this.#at] as number
      if (byte === quote) {
        this.#at += 1
        return true
      }
      if (byte < 0x20) return false
      if (byte !== backslash) continue
      const [sequence] =
        escaped.exec(this.#bytes.toString('latin1', this.#at + 1, this.#at + 6)) ?? []
      if (sequence === undefined) return false
      this.#at += sequence.length
    }
    return false
  }

  #skipPlain(): boolean {
    const start = this.#at
    while (this.#at < this.#bytes.length && !ends.has(this.#bytes[this.#at] as number))
      this.#at += 1
    const length = this.#at - start
    return length <= mostPlainBytes && plain.test(this.#bytes.toString('latin1', start, this.#at))
  }
}
