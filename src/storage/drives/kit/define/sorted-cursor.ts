import { compareKeys } from '../../../../platform/text/key-order.ts'
import type { FolderEntry, ListQuery } from '../../listed-entry.ts'

/** An entry with its place among the entries of its key: the lowest first. */
export interface Ranked<Listed> {
  readonly entry: Listed
  readonly rank: number
}

interface Position {
  readonly key: string
  readonly rank: number
}

/** Sorts all objects of the bucket, or their versions, for every page: slow, but short and correct. */
export class SortedCursor<Listed extends { readonly kind: 'object'; readonly key: string }> {
  readonly #listed: () => Promise<readonly Ranked<Listed>[]>
  readonly #query: ListQuery
  readonly #afterRank: () => number
  /** No entry below this. */
  #from = ''
  /** The last entry returned. */
  #last: Position = { key: '', rank: Infinity }
  #hasEnded = false

  /**
   * @param listed everything in the bucket, in any order
   * @param afterRank the place of the last entry of the key `after` that is not wanted. Absent: none of that key is
   */
  constructor(
    listed: () => Promise<readonly Ranked<Listed>[]>,
    query: ListQuery,
    afterRank = () => Infinity,
  ) {
    this.#listed = listed
    this.#query = query
    this.#afterRank = afterRank
  }

  async next(limit: number): Promise<(Listed | FolderEntry)[]> {
    const entries: (Listed | FolderEntry)[] = []
    if (this.#hasEnded) return entries
    const all = await this.#listed()
    const after = { key: this.#query.after, rank: this.#afterRank() }
    const wanted = all.filter((ranked) => this.#isWanted(positionOf(ranked), after))
    for (const ranked of wanted.sort((a, b) => compare(positionOf(a), positionOf(b)))) {
      if (entries.length === limit) break
      const folder = this.#folderOf(ranked.entry.key)
      const position = folder ? { key: folder.key, rank: Infinity } : positionOf(ranked)
      if (folder?.key === after.key || !this.#isAhead(position)) continue
      this.#last = position
      entries.push(folder ?? ranked.entry)
    }
    this.#hasEnded = entries.length === 0
    return entries
  }

  seek(key: string): void {
    if (compareKeys(key, this.#from) > 0) this.#from = key
  }

  #isWanted(position: Position, after: Position): boolean {
    return position.key.startsWith(this.#query.prefix) && compare(position, after) > 0
  }

  #isAhead(position: Position): boolean {
    return compareKeys(position.key, this.#from) >= 0 && compare(position, this.#last) > 0
  }

  #folderOf(key: string): FolderEntry | undefined {
    const { prefix, delimiter } = this.#query
    const end = delimiter === undefined ? -1 : key.indexOf(delimiter, prefix.length)
    return end < 0 ? undefined : { kind: 'folder', key: key.slice(0, end + 1) }
  }
}

function positionOf({ entry, rank }: Ranked<{ readonly key: string }>): Position {
  return { key: entry.key, rank }
}

function compare(a: Position, b: Position): number {
  const order = compareKeys(a.key, b.key)
  return order !== 0 || a.rank === b.rank ? order : a.rank - b.rank
}
