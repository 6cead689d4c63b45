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

/** A field of the outermost object. */
export interface JsonField {
  readonly name: string
  /** Where its value begins and ends, in bytes. */
  readonly start: number
  readonly end: number
}

/**
 * Checks that the bytes are JSON in UTF-8 (RFC 8259), and looks for fields of the outermost object. JSON.parse would build
 * what it reads: for a body of 64 MiB, more than a GiB of objects. jsonc-parser calls itself for each level, and needs
 * the text as a string.
 *
 * @param lowerName which fields, in any case of letters
 * @returns the first two of them; undefined if it is not JSON
 */
export function fieldsOfJson(bytes: Buffer, lowerName: string): readonly JsonField[] | undefined {
  const reader = new JsonReader(bytes, 0, lowerName)
  const isJson = isUtf8(bytes) && reader.readValue() && reader.isAtEnd()
  return isJson ? reader.found : undefined
}

/** Where a value ends that begins at `start`; undefined if it is not JSON. */
export function endOfValue(bytes: Buffer, start: number): number | undefined {
  const reader = new JsonReader(bytes, start)
  return reader.readValue() ? reader.at : undefined
}

/** With each letter as an escape sequence of six characters. */
const longestNameBytes = 256

class JsonReader {
  readonly #bytes: Buffer
  readonly #lowerName: string | undefined
  #at: number
  /** Whether each open level is an object. */
  readonly #levels: boolean[] = []
  #wasOpened = false
  /** The field of the outermost object whose value is being read, if it is looked for. */
  #field: Omit<JsonField, 'end'> | undefined
  readonly found: JsonField[] = []

  constructor(bytes: Buffer, start: number, lowerName?: string) {
    this.#bytes = bytes
    this.#at = start
    this.#lowerName = lowerName
  }

  get at(): number {
    return this.#at
  }

  isAtEnd(): boolean {
    return this.#next() === undefined
  }

  /** Reads a value with all that it has. Returns whether it is JSON. */
  readValue(): boolean {
    for (;;) {
      if (!this.#openOrSkipValue()) return false
      // A level that was just opened has no value yet.
      if (this.#wasOpened) continue
      this.#endField()
      if (!this.#closeLevels()) return false
      if (this.#levels.length === 0) return true
      if (!this.#skip(comma) || (this.#levels.at(-1) === true && !this.#skipName())) return false
    }
  }

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
      this.#endField()
    }
    return true
  }

  /** A name and its colon. */
  #skipName(): boolean {
    if (this.#next() !== quote) return false
    const start = this.#at
    if (!this.#skipText()) return false
    const end = this.#at
    if (!this.#skip(colon)) return false
    this.#next()
    if (this.#levels.length === 1 && end - start <= longestNameBytes) this.#beginField(start, end)
    return true
  }

  #beginField(start: number, end: number): void {
    const name = String(JSON.parse(this.#bytes.toString('utf8', start, end)))
    if (name.toLowerCase() === this.#lowerName) this.#field = { name, start: this.#at }
  }

  #endField(): void {
    if (this.#field === undefined || this.#levels.length !== 1) return
    if (this.found.length < 2) this.found.push({ ...this.#field, end: this.#at })
    this.#field = undefined
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
