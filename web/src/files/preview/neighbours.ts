import { useMemo } from 'react'
import { type Entry, entryId, type FileEntry } from '../entries/entry.ts'
import { isReachable } from '../entries/object-address.ts'

/** The files before and after one, in the order of the list. */
export interface NeighbourFiles {
  readonly before: FileEntry | undefined
  readonly after: FileEntry | undefined
}

export function useNeighbours(
  entries: readonly Entry[],
  file: FileEntry,
  isWanted: (file: FileEntry) => boolean,
): NeighbourFiles {
  const id = entryId(file)
  return useMemo(() => {
    const at = entries.findIndex((entry) => entryId(entry) === id)
    const isShown = (entry: Entry): entry is FileEntry =>
      entry.kind === 'file' && isReachable(entry.key) && isWanted(entry)
    return {
      before: at < 0 ? undefined : entries.slice(0, at).findLast(isShown),
      after: at < 0 ? undefined : entries.slice(at + 1).find(isShown),
    }
  }, [entries, id, isWanted])
}
