import { compareKeys } from '../key-order.ts'
import type { Entry, EntryCursor, ListQuery } from '../listed-entry.ts'
import { type MemoryObjects, turn } from './memory-objects.ts'

/** Looks at all keys for every page: slow, but short and correct. */
export class MemoryCursor implements EntryCursor {
  readonly #objects: MemoryObjects
  readonly #bucket: string
  readonly #query: ListQuery
  /** No entry below this. */
  #from = ''
  /** The key of the last entry returned. */
  #last = ''
  #hasEnded = false

  constructor(objects: MemoryObjects, bucket: string, query: ListQuery) {
    this.#objects = objects
    this.#bucket = bucket
    this.#query = query
  }

  async next(limit: number): Promise<Entry[]> {
    await turn()
    const entries: Entry[] = []
    if (this.#hasEnded) return entries
    for (const key of this.#objects.sortedKeys(this.#bucket)) {
      if (entries.length === limit) break
      const entry = this.#isWanted(key) ? this.#entryOf(key) : undefined
      if (entry === undefined || !this.#isAhead(entry.key)) continue
      this.#last = entry.key
      entries.push(entry)
    }
    this.#hasEnded = entries.length === 0
    return entries
  }

  seek(key: string): void {
    if (compareKeys(key, this.#from) > 0) this.#from = key
  }

  #isWanted(key: string): boolean {
    return key.startsWith(this.#query.prefix) && compareKeys(key, this.#query.after) > 0
  }

  #isAhead(entryKey: string): boolean {
    return (
      entryKey !== this.#query.after &&
      compareKeys(entryKey, this.#from) >= 0 &&
      compareKeys(entryKey, this.#last) > 0
    )
  }

  #entryOf(key: string): Entry | undefined {
    const { prefix, delimiter } = this.#query
    const end = delimiter === undefined ? -1 : key.indexOf(delimiter, prefix.length)
    if (end >= 0) return { kind: 'folder', key: key.slice(0, end + 1) }
    const object = this.#objects.get({ bucket: this.#bucket, key })
    if (object === undefined) return undefined
    const { size, modifiedAtMs, attributes } = object
    return { kind: 'object', key, size, modifiedAtMs, etag: attributes.etag }
  }
}
