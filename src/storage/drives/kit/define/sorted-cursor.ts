import { compareKeys } from '../../../../platform/text/key-order.ts'
import type { Entry, EntryCursor, ListQuery, ObjectEntry } from '../../listed-entry.ts'

/** Sorts all objects of the bucket for every page: slow, but short and correct. */
export class SortedCursor implements EntryCursor {
  readonly #objects: () => Promise<readonly ObjectEntry[]>
  readonly #query: ListQuery
  /** No entry below this. */
  #from = ''
  /** The key of the last entry returned. */
  #last = ''
  #hasEnded = false

  /** @param objects all objects of the bucket, in any order */
  constructor(objects: () => Promise<readonly ObjectEntry[]>, query: ListQuery) {
    this.#objects = objects
    this.#query = query
  }

  async next(limit: number): Promise<Entry[]> {
    const entries: Entry[] = []
    if (this.#hasEnded) return entries
    const objects = await this.#objects()
    const wanted = objects.filter(({ key }) => this.#isWanted(key))
    for (const object of wanted.sort((a, b) => compareKeys(a.key, b.key))) {
      if (entries.length === limit) break
      const entry = this.#entryOf(object)
      if (!this.#isAhead(entry.key)) continue
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

  #entryOf(object: ObjectEntry): Entry {
    const { prefix, delimiter } = this.#query
    const end = delimiter === undefined ? -1 : object.key.indexOf(delimiter, prefix.length)
    return end < 0 ? object : { kind: 'folder', key: object.key.slice(0, end + 1) }
  }
}
