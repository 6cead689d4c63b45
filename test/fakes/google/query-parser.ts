import { type FileRecord, isInTrash } from './file-record.ts'
import { invalidValue } from './google-error.ts'

/** The files that a query is asked of. */
interface QueryScope {
  readonly records: ReadonlyMap<string, FileRecord>
  readonly rootId: string
}

type Predicate = (record: FileRecord, scope: QueryScope) => boolean

export interface FileQuery {
  readonly matches: Predicate
  /** Whether it is a query by name, which uses a separate view. */
  readonly asksForName: boolean
  /** Folders that it names. */
  readonly parents: readonly string[]
}

type Comparison = (actual: string, wanted: string) => boolean

const isEqual: Comparison = (actual, wanted) => actual === wanted
const fold = (text: string) => text.normalize('NFC').toLowerCase()
const isSameName: Comparison = (actual, wanted) => fold(actual) === fold(wanted)
/** For names, `contains` is about the beginnings of words. */
const containsName: Comparison = (actual, wanted) =>
  fold(actual)
    .split(/[\s_.-]+/)
    .concat(fold(actual))
    .some((word) => word.startsWith(fold(wanted)))
const not =
  (compare: Comparison): Comparison =>
  (actual, wanted) =>
    !compare(actual, wanted)

/** Fields with a text value, by field and operator. */
const textTerms: Readonly<Record<string, Readonly<Record<string, Comparison>>>> = {
  name: { '=': isSameName, '!=': not(isSameName), contains: containsName },
  mimeType: {
    '=': isEqual,
    '!=': not(isEqual),
    contains: (actual, wanted) => actual.startsWith(wanted),
  },
}

const flagTerms: Readonly<Record<string, Predicate>> = {
  trashed: (record, { records }) => isInTrash(record, records),
  starred: (record) => record.isStarred,
  sharedWithMe: () => false,
}

const timeTerms: Readonly<Record<string, (record: FileRecord) => number>> = {
  modifiedTime: (record) => record.modifiedAtMs,
  createdTime: (record) => record.createdAtMs,
}

const orders: Readonly<Record<string, (actual: number, wanted: number) => boolean>> = {
  '=': (actual, wanted) => actual === wanted,
  '!=': (actual, wanted) => actual !== wanted,
  '<': (actual, wanted) => actual < wanted,
  '<=': (actual, wanted) => actual <= wanted,
  '>': (actual, wanted) => actual > wanted,
  '>=': (actual, wanted) => actual >= wanted,
}

const tokenPattern =
  /\s*(?:('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(!=|<=|>=|[=<>(){}])|([A-Za-z]+))/suy

/**
 * Drive's query language ("Search query terms and operators"), the part that a file store needs.
 *
 * @throws GoogleError 400 when it is not that.
 */
export function parseQuery(text: string): FileQuery {
  if (text === '') return { matches: () => true, asksForName: false, parents: [] }
  const parser = new QueryParser(tokensOf(text))
  const matches = parser.disjunction()
  parser.end()
  const { asksForName, parents } = parser
  return { matches, asksForName, parents }
}

interface Token {
  readonly text: string
  /** The value of a quoted text. */
  readonly literal?: string
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  const source = text.trimEnd()
  const pattern = new RegExp(tokenPattern)
  while (pattern.lastIndex < source.length) {
    const match = pattern.exec(source)
    if (match === null) throw invalidValue('q')
    const [, quoted, operator, word] = match
    if (quoted === undefined) tokens.push({ text: operator ?? word ?? '' })
    else tokens.push({ text: quoted, literal: unescaped(quoted.slice(1, -1)) })
  }
  return tokens
}

/** Only quotes and backslashes are escaped. */
function unescaped(text: string): string {
  return text.replace(/\\(.)/gsu, (_, character: string) => {
    if (!['\\', "'", '"'].includes(character)) throw invalidValue('q')
    return character
  })
}

class QueryParser {
  asksForName = false
  readonly parents: string[] = []
  readonly #tokens: readonly Token[]
  #position = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  disjunction(): Predicate {
    const terms = [this.#conjunction()]
    while (this.#accept('or')) terms.push(this.#conjunction())
    return (record, scope) => terms.some((matches) => matches(record, scope))
  }

  end(): void {
    if (this.#position < this.#tokens.length) throw invalidValue('q')
  }

  #conjunction(): Predicate {
    const terms = [this.#term()]
    while (this.#accept('and')) terms.push(this.#term())
    return (record, scope) => terms.every((matches) => matches(record, scope))
  }

  #term(): Predicate {
    if (this.#accept('not')) {
      const matches = this.#term()
      return (record, scope) => !matches(record, scope)
    }
    if (this.#accept('(')) {
      const matches = this.disjunction()
      this.#expect(')')
      return matches
    }
    const token = this.#next()
    return token.literal === undefined ? this.#comparison(token.text) : this.#membership(token)
  }

  /** `'id' in parents` and the like. */
  #membership({ literal = '' }: Token): Predicate {
    this.#expect('in')
    const field = this.#next().text
    if (field === 'parents') {
      this.parents.push(literal)
      return (record, { rootId }) => record.parent === (literal === 'root' ? rootId : literal)
    }
    if (field === 'owners' || field === 'writers') return () => true
    throw invalidValue('q')
  }

  #comparison(field: string): Predicate {
    if (field === 'appProperties' || field === 'properties') return this.#property(field)
    const operator = this.#next().text
    const flag = flagTerms[field]
    if (flag !== undefined) return this.#flag(flag, operator)
    const { literal } = this.#next()
    if (literal === undefined) throw invalidValue('q')
    const compare = textTerms[field]?.[operator]
    if (compare !== undefined) {
      if (field === 'name') this.asksForName = true
      const actual = (record: FileRecord) => (field === 'name' ? record.name : record.mimeType)
      return (record) => compare(actual(record), literal)
    }
    const timeOf = timeTerms[field]
    const order = orders[operator]
    const atMs = Date.parse(literal)
    if (timeOf === undefined || order === undefined || Number.isNaN(atMs)) throw invalidValue('q')
    return (record) => order(timeOf(record), atMs)
  }

  #flag(isFlagged: Predicate, operator: string): Predicate {
    const value = this.#next().text
    const isKnown = ['=', '!='].includes(operator) && ['true', 'false'].includes(value)
    if (!isKnown) throw invalidValue('q')
    const wanted = (value === 'true') === (operator === '=')
    return (record, scope) => isFlagged(record, scope) === wanted
  }

  /** `appProperties has { key='a' and value='b' }`. */
  #property(field: 'appProperties' | 'properties'): Predicate {
    for (const text of ['has', '{', 'key', '=']) this.#expect(text)
    const key = this.#next().literal
    for (const text of ['and', 'value', '=']) this.#expect(text)
    const value = this.#next().literal
    this.#expect('}')
    if (key === undefined || value === undefined) throw invalidValue('q')
    return (record) => record[field][key] === value
  }

  #accept(text: string): boolean {
    const token = this.#tokens[this.#position]
    if (token === undefined || token.literal !== undefined || token.text !== text) return false
    this.#position++
    return true
  }

  #expect(text: string): void {
    if (!this.#accept(text)) throw invalidValue('q')
  }

  #next(): Token {
    const token = this.#tokens[this.#position++]
    if (token === undefined) throw invalidValue('q')
    return token
  }
}
