import { compareKeys } from '../../../../platform/text/key-order.ts'
import type { FolderNames } from '../../kit/folder-cursor.ts'
import type { ListedAttributes } from '../../listed-entry.ts'

/** A name in a folder, with what a listing needs. */
export interface ListedName {
  /** The key's segment, followed by `/` if it is a folder. */
  readonly name: string
  /** Names below the folder that was read: several when the name was cut. */
  readonly path: readonly string[]
  readonly isFolder: boolean
  /** The object's file is at its alternative path. */
  readonly isAlternative: boolean
  readonly size: number
  readonly modifiedAtMs: number
  readonly version: string
  /** From the listing; undefined if it must be read from the database. */
  readonly attributes: ListedAttributes | undefined
  /** It may have been written while its folder was read: a missing ETag may exist. */
  readonly isUnsure?: boolean
}

/** The names in one folder, in key order. */
export class DavFolderIndex implements FolderNames {
  readonly #names: readonly ListedName[]

  /** @param names in any order; if an object has two files, the one at the natural path is used */
  constructor(names: Iterable<ListedName>) {
    const byName = new Map<string, ListedName>()
    for (const one of names) {
      const other = byName.get(one.name)
      if (other === undefined || other.isAlternative) byName.set(one.name, one)
    }
    this.#names = [...byName.values()].sort((a, b) => compareKeys(a.name, b.name))
  }

  get count(): number {
    return this.#names.length
  }

  at(position: number): ListedName {
    const listed = this.#names[position]
    if (listed === undefined) throw new RangeError(`no name at ${position}`)
    return listed
  }

  name(position: number): string {
    return this.at(position).name
  }

  isFolder(position: number): boolean {
    return this.at(position).isFolder
  }

  has(name: string): boolean {
    return this.#names[this.lowerBound(name)]?.name === name
  }

  /** The position of the first name that is not less than `text`; `count` when there is none. */
  lowerBound(text: string): number {
    let [low, high] = [0, this.#names.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareKeys(this.#names[middle]?.name ?? '', text) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}
