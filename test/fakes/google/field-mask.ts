import { GoogleError } from './google-error.ts'

/**
 * The `fields` parameter: `a,b(c,d/e),f/g,*`. A mask maps each selected member to the mask of its
 * content; `all` selects everything.
 */
export type FieldMask = 'all' | ReadonlyMap<string, FieldMask>

/** The fields of a resource. `true` is a leaf, or a field whose content is not checked. */
export interface FieldSchema {
  readonly [name: string]: true | FieldSchema
}

/** @throws GoogleError for an invalid mask, or one with fields that are not in the schema. */
export function parseFieldMask(text: string, schema: FieldSchema): FieldMask {
  const tokens = text.match(/[^,()/\s]+|[,()/]/g) ?? []
  const parser = new MaskParser(tokens, text)
  const mask = parser.list()
  if (parser.peek() !== undefined) throw invalidSelection(text)
  requireKnown(mask, schema)
  return mask
}

/** The part of a resource that the mask selects. Arrays are masked item by item. */
export function applyFieldMask(value: unknown, mask: FieldMask): unknown {
  if (mask === 'all' || value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((item) => applyFieldMask(item, mask))
  const entries = Object.entries(value).flatMap(([name, member]) => {
    const inner = mask.get(name)
    return inner === undefined ? [] : [[name, applyFieldMask(member, inner)] as const]
  })
  return Object.fromEntries(entries)
}

/** Whether the mask selects the member at `path`. */
export function asksFor(mask: FieldMask, path: readonly string[]): boolean {
  const [name, ...rest] = path
  if (mask === 'all' || name === undefined) return true
  const inner = mask.get(name)
  return inner !== undefined && asksFor(inner, rest)
}

class MaskParser {
  readonly #tokens: readonly string[]
  readonly #text: string
  #position = 0

  constructor(tokens: readonly string[], text: string) {
    this.#tokens = tokens
    this.#text = text
  }

  peek(): string | undefined {
    return this.#tokens[this.#position]
  }

  list(): FieldMask {
    const members = new Map<string, FieldMask>()
    let isAll = false
    do {
      const [name, inner] = this.#item()
      if (name === '*') isAll = true
      members.set(name, inner)
    } while (this.#accept(','))
    return isAll ? 'all' : members
  }

  #item(): [string, FieldMask] {
    const name = this.#next()
    if (name === undefined || /[,()/]/.test(name)) throw invalidSelection(name ?? this.#text)
    if (this.#accept('/')) {
      const [member, inner] = this.#item()
      return [name, member === '*' ? 'all' : new Map([[member, inner]])]
    }
    if (!this.#accept('(')) return [name, 'all']
    const inner = this.list()
    if (!this.#accept(')')) throw invalidSelection(this.#text)
    return [name, inner]
  }

  #accept(token: string): boolean {
    if (this.peek() !== token) return false
    this.#position++
    return true
  }

  #next(): string | undefined {
    return this.#tokens[this.#position++]
  }
}

function requireKnown(mask: FieldMask, schema: FieldSchema): void {
  if (mask === 'all') return
  for (const [name, inner] of mask) {
    const known = Object.hasOwn(schema, name) ? schema[name] : undefined
    if (known === undefined) throw invalidSelection(name)
    if (known !== true) requireKnown(inner, known)
  }
}

function invalidSelection(name: string): GoogleError {
  const message = `Invalid field selection ${name}`
  return new GoogleError('invalidParameter', { message, location: 'fields' })
}
