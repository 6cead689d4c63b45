import { type Entry, type FileEntry, modifiedOf } from './entry.ts'

export type SortField = 'name' | 'size' | 'modified'

export interface Sort {
  readonly field: SortField
  readonly isDescending: boolean
}

export const byName: Sort = { field: 'name', isDescending: false }

/** `IMG_2` before `IMG_10`, `a` beside `A`; ties are broken by bytes. */
const collator = new Intl.Collator(undefined, { numeric: true })

/** Folders first, then by name in natural order. No two entries of a folder compare equal. */
export function compareByName(a: Entry, b: Entry): number {
  if (a.kind !== b.kind) return a.kind === 'folder' ? -1 : 1
  const order = collator.compare(a.name, b.name)
  if (order !== 0) return order
  if (a.key === b.key) return 0
  return a.key < b.key ? -1 : 1
}

/**
 * Merges two lists sorted by name. Of two entries with the same key, the added one wins. Needs one
 * search per added entry and copies the rest in runs: merging 1,000 into 100,000 takes about 10 ms.
 */
export function mergeByName(sorted: readonly Entry[], added: readonly Entry[]): readonly Entry[] {
  if (added.length === 0) return sorted
  const fresh = [...added].sort(compareByName)
  const merged: Entry[] = []
  let from = 0
  for (const entry of fresh) {
    const at = position(sorted, entry, from)
    for (let index = from; index < at; index += 1) merged.push(sorted[index] as Entry)
    merged.push(entry)
    const isReplaced = sorted[at] !== undefined && compareByName(sorted[at], entry) === 0
    from = isReplaced ? at + 1 : at
  }
  for (let index = from; index < sorted.length; index += 1) merged.push(sorted[index] as Entry)
  return merged
}

/** The first index, starting at `from`, that does not sort before the entry. */
function position(sorted: readonly Entry[], entry: Entry, from: number): number {
  let low = from
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareByName(sorted[middle] as Entry, entry) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** What is known of folders, by key: null if one has no objects. */
export type FolderMeasures = ReadonlyMap<
  string,
  { readonly bytes: number | null; readonly lastModified: string | null }
>

/**
 * Reorders entries that are sorted by name. Folders stay first; folders without known figures come after the other
 * folders.
 */
export function inOrder(
  sorted: readonly Entry[],
  { field, isDescending }: Sort,
  folderMeasures: FolderMeasures = new Map(),
): readonly Entry[] {
  if (field === 'name' && !isDescending) return sorted
  const isFile = (entry: Entry): entry is FileEntry => entry.kind === 'file'
  const files = sorted.filter(isFile)
  const folders = sorted.slice(0, sorted.length - files.length)
  if (field === 'name') return [...folders.reverse(), ...files.reverse()]
  const sign = isDescending ? -1 : 1
  const measureOf = ({ key }: Entry): number | undefined => {
    const { bytes = null, lastModified = null } = folderMeasures.get(key) ?? {}
    if (field === 'size') return bytes ?? undefined
    return lastModified === null ? undefined : Date.parse(lastModified)
  }
  const known = new Map(folders.map((folder) => [folder, measureOf(folder)]))
  const compareFolders = (a: Entry, b: Entry): number => {
    const [one, other] = [known.get(a), known.get(b)]
    if (one !== undefined && other !== undefined) return sign * (one - other)
    return Number(one === undefined) - Number(other === undefined)
  }
  const measure = field === 'size' ? ({ size }: FileEntry) => size : modifiedOf
  return [
    ...folders.sort(compareFolders),
    ...files.sort((a, b) => sign * (measure(a) - measure(b))),
  ]
}
