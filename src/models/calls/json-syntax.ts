/**
 * JSON (RFC 8259) as a table: the next state for each state and byte. JSON.parse builds objects: for a body of 64 MiB,
 * more than a GiB. jsonc-parser is recursive, and needs the text as a string.
 */
const words = ['rue', 'ue', 'alse', 'lse', 'se', 'e', 'ull', 'll', 'l'] as const
const states = [
  ...['error', 'value', 'firstValue', 'firstName', 'name', 'colon', 'after'],
  ...['text', 'escape', 'hex4', 'hex3', 'hex2', 'hex1'],
  ...['minus', 'zero', 'digits', 'point', 'fraction', 'exponent', 'sign', 'power'],
  ...words,
] as const
/** Transitions that do more than change the state. */
const actions = [
  ...['openObject', 'openArray', 'closeObject', 'closeArray'],
  ...['comma', 'beginName', 'endText', 'endName'],
] as const
type State = (typeof states)[number]
type Action = (typeof actions)[number]

const number = Object.fromEntries([...states, ...actions].map((one, index) => [one, index])) as {
  readonly [Name in State | Action]: number
}
const firstAction = states.length
const bits = 8
const table = new Uint8Array(states.length << bits)

function on(state: State, characters: string, next: State | Action): void {
  for (const one of characters) table[(number[state] << bits) | one.charCodeAt(0)] = number[next]
}

const digits = '0123456789'
for (const state of ['value', 'firstValue'] as const) {
  on(state, '"', 'text')
  on(state, '{', 'openObject')
  on(state, '[', 'openArray')
  on(state, '-', 'minus')
  on(state, digits, 'digits')
  on(state, '0', 'zero')
  on(state, 't', 'rue')
  on(state, 'f', 'alse')
  on(state, 'n', 'ull')
}
for (const word of words) on(word, word[0] ?? '', (word.slice(1) || 'after') as State)
on('firstValue', ']', 'closeArray')
on('firstName', '}', 'closeObject')
for (const state of ['firstName', 'name'] as const) on(state, '"', 'beginName')
on('colon', ':', 'endName')
for (const state of ['after', 'zero', 'digits', 'fraction', 'power'] as const) {
  on(state, ',', 'comma')
  on(state, '}', 'closeObject')
  on(state, ']', 'closeArray')
  on(state, ' \t\r\n', 'after')
}
for (const state of ['value', 'firstValue', 'firstName', 'name', 'colon'] as const)
  on(state, ' \t\r\n', state)
table.fill(number.text, (number.text << bits) | 0x20, (number.text + 1) << bits)
on('text', '\\', 'escape')
on('text', '"', 'endText')
on('escape', '"\\/bfnrt', 'text')
on('escape', 'u', 'hex4')
for (const [state, next] of [
  ['hex4', 'hex3'],
  ['hex3', 'hex2'],
  ['hex2', 'hex1'],
  ['hex1', 'text'],
] as const)
  on(state, `${digits}abcdefABCDEF`, next)
on('minus', digits, 'digits')
on('minus', '0', 'zero')
on('digits', digits, 'digits')
for (const state of ['zero', 'digits'] as const) on(state, '.', 'point')
for (const state of ['point', 'fraction'] as const) on(state, digits, 'fraction')
for (const state of ['zero', 'digits', 'fraction'] as const) on(state, 'eE', 'exponent')
on('exponent', '+-', 'sign')
for (const state of ['exponent', 'sign', 'power'] as const) on(state, digits, 'power')

const wholeStates: ReadonlySet<number> = new Set([
  ...[number.after, number.zero, number.digits, number.fraction, number.power],
])

/** The maximum depth of arrays and objects. */
const maxLevels = 1_000_000
/** The maximum length of a wanted name, in which each letter may be an escape sequence of six characters. */
const maxNameBytes = 256

/** A field of the outermost object. */
export interface JsonField {
  readonly name: string
  /** The range of bytes of its value, with white space around it. */
  readonly start: number
  readonly end: number
}

/** Reads JSON in pieces of any size and finds fields of the outermost object. */
export class JsonScanner {
  readonly #lowerNames: readonly string[]
  #state = number.value
  /** Bytes before the current piece. */
  #offset = 0
  /** Whether each open level is an object. */
  readonly #levels: boolean[] = []
  #isName = false
  /** The part of a name from earlier pieces, and where the name begins in this one. Only in the outermost object. */
  #nameParts: Buffer[] = []
  #nameFrom = -1
  #field: Omit<JsonField, 'end'> | undefined
  /** The first two fields with each of the names. */
  readonly #found: JsonField[] = []
  /** Where the outermost array or object ends. */
  endedAt: number | undefined
  /** About the number of values, and of levels, that a parser builds. */
  values = 0
  depth = 0

  /** @param lowerNames the names of the wanted fields, in lower case; any case matches */
  constructor(lowerNames: readonly string[]) {
    this.#lowerNames = lowerNames
  }

  /** The first two fields with this name, in any case of letters. */
  fields(lowerName: string): readonly JsonField[] {
    return this.#found.filter((field) => spelledAs(field.name) === lowerName)
  }

  /** Whether the bytes so far are one complete value. */
  get isWhole(): boolean {
    return this.#levels.length === 0 && wholeStates.has(this.#state)
  }

  /** Takes the next bytes. Returns whether they can be JSON. Does not check UTF-8. */
  feed(bytes: Buffer): boolean {
    let state = this.#state
    for (let at = 0; at < bytes.length; at += 1) {
      state = table[(state << bits) | (bytes[at] as number)] as number
      if (state >= firstAction) state = this.#act(state, bytes, at)
    }
    if (this.#nameFrom >= 0) this.#holdName(bytes)
    this.#state = state
    this.#offset += bytes.length
    return state !== number.error
  }

  #act(action: number, bytes: Buffer, at: number): number {
    switch (action) {
      case number.openObject:
        return this.#open(true)
      case number.openArray:
        return this.#open(false)
      case number.closeObject:
        return this.#close(true, this.#offset + at)
      case number.closeArray:
        return this.#close(false, this.#offset + at)
      case number.comma:
        return this.#next(this.#offset + at)
      case number.beginName:
        this.#isName = true
        if (this.#levels.length === 1) this.#nameFrom = at
        return number.text
      case number.endText:
        if (!this.#isName) return number.after
        this.#isName = false
        if (this.#nameFrom >= 0) this.#takeName(bytes.subarray(this.#nameFrom, at + 1))
        return number.colon
      default:
        if (this.#field !== undefined && this.#levels.length === 1)
          this.#field = { ...this.#field, start: this.#offset + at + 1 }
        return number.value
    }
  }

  #open(isObject: boolean): number {
    const depth = this.#levels.push(isObject)
    if (depth > maxLevels) return number.error
    if (depth > this.depth) this.depth = depth
    this.values += 1
    return isObject ? number.firstName : number.firstValue
  }

  #close(isObject: boolean, at: number): number {
    this.#endField(at)
    if (this.#levels.pop() !== isObject) return number.error
    if (this.#levels.length === 0) this.endedAt ??= at + 1
    return number.after
  }

  #next(at: number): number {
    const isObject = this.#levels.at(-1)
    if (isObject === undefined) return number.error
    this.#endField(at)
    this.values += 1
    return isObject ? number.name : number.value
  }

  #endField(at: number): void {
    if (this.#field === undefined || this.#levels.length !== 1) return
    const isWanted = this.fields(spelledAs(this.#field.name)).length < 2
    if (isWanted) this.#found.push({ ...this.#field, end: at })
    this.#field = undefined
  }

  /** A copy, so that the memory of the piece can be freed. */
  #holdName(bytes: Buffer): void {
    this.#nameParts.push(Buffer.from(bytes.subarray(this.#nameFrom)))
    const length = this.#nameParts.reduce((sum, part) => sum + part.length, 0)
    this.#nameFrom = length > maxNameBytes ? -1 : 0
    if (this.#nameFrom < 0) this.#nameParts = []
  }

  #takeName(end: Buffer): void {
    const text = this.#nameParts.length === 0 ? end : Buffer.concat([...this.#nameParts, end])
    this.#nameParts = []
    this.#nameFrom = -1
    if (text.length > maxNameBytes) return
    const name = String(JSON.parse(text.toString()))
    if (this.#lowerNames.includes(spelledAs(name))) this.#field = { name, start: 0 }
  }
}

/** A name as some parsers read it: those in Go ignore case, those in C may end it at U+0000. */
function spelledAs(name: string): string {
  return name.split('\0', 1)[0]?.toLowerCase() ?? ''
}

const pieceBytes = 4 * 1024

/** The end of the array or object that begins at `start`; undefined if it is not JSON. */
export function endOfValue(bytes: Buffer, start: number): number | undefined {
  const scanner = new JsonScanner([])
  for (let at = start; at < bytes.length && scanner.endedAt === undefined; at += pieceBytes) {
    if (!scanner.feed(bytes.subarray(at, at + pieceBytes))) break
  }
  return scanner.endedAt === undefined ? undefined : start + scanner.endedAt
}
