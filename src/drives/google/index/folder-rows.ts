import type { ChildrenQuery, DriveIndex, ListedFile } from './drive-index.ts'

/** Rows in one query. */
const leastRows = 16
const mostRows = 1_000

export interface FolderRowsOptions extends Omit<ChildrenQuery, 'limit'> {
  readonly index: DriveIndex
  /** The folder's id; several where folders share a name. */
  readonly ids: readonly string[]
}

/** The content of a folder from a name on, in order, files of one name together. */
export class FolderRows {
  readonly #options: FolderRowsOptions
  #from: string
  #isInclusive: boolean
  #rows: readonly ListedFile[] = []
  #at = 0
  #isLastPage = false

  constructor(options: FolderRowsOptions) {
    this.#options = options
    this.#from = options.from
    this.#isInclusive = options.isInclusive
  }

  get ids(): readonly string[] {
    return this.#options.ids
  }

  /** The next name's rows; undefined if they are not in memory. */
  take(): readonly ListedFile[] | undefined {
    const first = this.#rows[this.#at]
    if (first === undefined) return undefined
    const start = this.#at
    do this.#at += 1
    while (this.#rows[this.#at]?.sortName === first.sortName)
    return this.#rows.slice(start, this.#at)
  }

  /** Reads more rows for about `wanted` names; false at the end. */
  async fetch(wanted: number): Promise<boolean> {
    if (this.#isLastPage) return false
    const { index, ids, hidesEmpty } = this.#options
    const limit = Math.min(mostRows, Math.max(leastRows, wanted + 1))
    const rows = await index.children(ids, {
      from: this.#from,
      isInclusive: this.#isInclusive,
      hidesEmpty,
      limit,
    })
    this.#isLastPage = rows.length < limit
    this.#keep(rows)
    return this.#rows.length > 0
  }

  /** The last name of a full page may continue on the next page, so it is read again with that. */
  #keep(rows: readonly ListedFile[]): void {
    const last = rows.at(-1)?.sortName ?? ''
    const whole = this.#isLastPage ? rows : rows.filter((row) => row.sortName !== last)
    this.#isInclusive = whole.length > 0
    this.#rows = whole.length > 0 ? whole : rows
    this.#from = last
    this.#at = 0
  }
}
