import { ApiError } from '../../platform/json-api/api-error.ts'

const maxIgnored = 30

/** Names of fields that have no effect, for the header `x-bucketry-ignored`. */
export class IgnoredFields {
  readonly names = new Set<string>()

  /** Names are a client's own text: bounded, and only what a header may contain. */
  add(name: string): void {
    if (this.names.size < maxIgnored) this.names.add(name.slice(0, 100).replaceAll(/[^\w.-]/g, '_'))
  }
}

/** The refusal of a field that changes the answer and does not exist in the other API. */
export function untranslatable(field: string, detail = ''): ApiError {
  const message = `The API of this model's connection has nothing for ${field.slice(0, 200)}: the call cannot be translated.`
  return new ApiError(400, message + detail, { field, code: 'unsupported_parameter' })
}

export function wrongType(field: string, expected: string): ApiError {
  const message = `The field ${field.slice(0, 200)} must be ${expected}.`
  return new ApiError(400, message, { field, code: 'invalid_type' })
}

/**
 * An object of a request. Each field is read, refused, or skipped because it needs no effect; `done` reports the others
 * as ignored, so that nothing is dropped silently.
 */
export class GivenFields {
  readonly path: string
  readonly ignored: IgnoredFields
  readonly #fields: Readonly<Record<string, unknown>>
  readonly #seen = new Set<string>()
  /** The path without indexes. */
  readonly #name: string

  constructor(value: unknown, ignored: IgnoredFields, path = '', name = path) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (!isObject) throw wrongType(path, 'an object')
    this.#fields = value as Readonly<Record<string, unknown>>
    this.ignored = ignored
    this.path = path
    this.#name = name
  }

  /** Null and undefined are the same. */
  raw(name: string): unknown {
    this.#seen.add(name)
    return Object.hasOwn(this.#fields, name) ? (this.#fields[name] ?? undefined) : undefined
  }

  text(name: string): string | undefined {
    return this.#typed(name, 'string') as string | undefined
  }

  number(name: string): number | undefined {
    return this.#typed(name, 'number') as number | undefined
  }

  flag(name: string): boolean | undefined {
    return this.#typed(name, 'boolean') as boolean | undefined
  }

  needText(name: string): string {
    const value = this.text(name)
    if (value === undefined) throw wrongType(this.at(name), 'a string')
    return value
  }

  /** The object in a field, read to its end by `read`. */
  in<T>(name: string, read: (fields: GivenFields) => T): T | undefined {
    return this.raw(name) === undefined ? undefined : this.#read(this.raw(name), name, '', read)
  }

  /** The objects of an array; none if it is missing. */
  each<T>(name: string, read: (fields: GivenFields) => T): readonly T[] {
    const value = this.raw(name) ?? []
    if (!Array.isArray(value)) throw wrongType(this.at(name), 'an array')
    return value.map((one, index) => this.#read(one, name, `.${index}`, read))
  }

  texts(name: string): readonly string[] {
    const value = [this.raw(name) ?? []].flat()
    if (value.every((one) => typeof one === 'string')) return value
    throw wrongType(this.at(name), 'a string or an array of strings')
  }

  /** Refuses fields that change the answer; `null`, `false`, 0 and what is empty do not. */
  refuse(...names: readonly string[]): void {
    for (const name of names) if (!isEmpty(this.raw(name))) throw untranslatable(this.at(name))
  }

  /** A kind of object that the other API does not have. */
  unknownType(name = 'type', detail = ''): ApiError {
    const type = String(this.raw(name))
    // Messages are logged. Texts of a request are not.
    const value = /^[\w.-]{1,100}$/.test(type) ? ` Its value is ${type}.` : ''
    return untranslatable(this.at(name), value + detail)
  }

  /** Fields that have no effect, and need none. */
  skip(...names: readonly string[]): void {
    for (const name of names) this.#seen.add(name)
  }

  ignore(name: string): void {
    this.#seen.add(name)
    this.ignored.add(this.#name === '' ? name : `${this.#name}.${name}`)
  }

  at(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`
  }

  /** Reports the fields that were not read. */
  done(): void {
    for (const [name, value] of Object.entries(this.#fields)) {
      if (!this.#seen.has(name) && !isEmpty(value)) this.ignore(name)
    }
  }

  #read<T>(value: unknown, name: string, index: string, read: (fields: GivenFields) => T): T {
    const named = this.#name === '' ? name : `${this.#name}.${name}`
    const fields = new GivenFields(value, this.ignored, this.at(name) + index, named)
    const result = read(fields)
    fields.done()
    return result
  }

  #typed(name: string, type: 'string' | 'number' | 'boolean'): unknown {
    const value = this.raw(name)
    if (value !== undefined && typeof value !== type) throw wrongType(this.at(name), `a ${type}`)
    return value
  }
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === undefined || !value
  return Object.keys(value).length === 0
}
