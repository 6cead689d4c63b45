import { foldedName } from '../../../../src/platform/text/folded-name.ts'
import {
  crumbsOf,
  type Entry,
  entryId,
  entryWithin,
  type FileEntry,
  parentOf,
} from '../entries/entry.ts'
import { compareByName } from '../entries/entry-order.ts'
import type { DriveChange } from '../transfers/drive-changes.ts'

/** What is searched, and where. */
export interface SearchWish {
  /** '': nothing is searched. */
  readonly text: string
  /** Undefined: everywhere. */
  readonly bucket: string | undefined
  /** '' or ends in a slash. */
  readonly prefix: string
}

/**
 * The hits with the changes that this page has made since, by name. What was added is shown if the server would find it
 * (src/storage/search/search.ts), or if it is the new name of a hit: a rename removes one entry and adds another.
 */
export function currentEntries(
  hits: readonly Entry[],
  changes: readonly DriveChange[],
  wish: SearchWish,
): readonly Entry[] {
  const shown = new Map(hits.map((entry) => [entryId(entry), entry]))
  const isWanted = wantedBy(wish)
  let moved: readonly Entry[] = []
  const gone = new Set<string>()
  for (const change of changes) {
    const { bucket } = change
    if (change.type === 'removed') {
      const ids = [...change.keys].map((key) => entryId({ bucket, key }))
      moved = ids.flatMap((id) => shown.get(id) ?? [])
      for (const id of ids) {
        shown.delete(id)
        gone.add(id)
      }
      continue
    }
    const { file } = change
    for (const { prefix } of crumbsOf(file.key)) gone.delete(entryId({ bucket, key: prefix }))
    const entry = entryWithin(parentOf(file.key), file)
    if (entry === undefined) continue
    const id = entryId({ ...entry, bucket })
    const isNewName = moved.some((one) => isSame(one, file))
    if (shown.has(id) || isNewName || isWanted(bucket, entry)) shown.set(id, { ...entry, bucket })
  }
  // A folder takes what is in it along, until it is back.
  const isInGone = (entry: Entry) =>
    crumbsOf(entry.key).some(({ prefix }) => gone.has(entryId({ ...entry, key: prefix })))
  return [...shown.values()].filter((entry) => !isInGone(entry)).sort(compareByName)
}

function wantedBy({ text, bucket, prefix }: SearchWish) {
  const folded = foldedName(text)
  return (ofBucket: string, { key, name }: Entry): boolean =>
    (bucket === undefined || bucket === ofBucket) &&
    key.startsWith(prefix) &&
    key !== prefix &&
    foldedName(name).includes(folded)
}

/** A move keeps size and time. Files that are uploaded at the same moment have others. */
function isSame(before: Entry, after: Omit<FileEntry, 'kind' | 'name'>): boolean {
  if (before.kind === 'folder') return after.key.endsWith('/')
  return before.size === after.size && before.modifiedAtMs === after.modifiedAtMs
}
