import { useEffect, useMemo, useRef } from 'react'
import { type Entry, entryId, type FileEntry } from '../entries/entry.ts'
import { isReachable } from '../entries/object-address.ts'

/** The files before and after one, in the order of the list. */
export interface NeighbourFiles {
  readonly before: FileEntry | undefined
  readonly after: FileEntry | undefined
}

/** The neighbours of a file that the list has lost meanwhile are the last ones that it had. */
export function useNeighbours(
  entries: readonly Entry[],
  file: FileEntry,
  isWanted: (file: FileEntry) => boolean,
): NeighbourFiles {
  const id = entryId(file)
  const last = useRef({ id, neighbours: noNeighbours })
  const found = useMemo(() => neighboursIn(entries, id, isWanted), [entries, id, isWanted])
  useEffect(() => {
    if (found !== undefined) last.current = { id, neighbours: found }
  }, [found, id])
  if (found !== undefined) return found
  return last.current.id === id ? last.current.neighbours : noNeighbours
}

const noNeighbours: NeighbourFiles = { before: undefined, after: undefined }

function neighboursIn(
  entries: readonly Entry[],
  id: string,
  isWanted: (file: FileEntry) => boolean,
): NeighbourFiles | undefined {
  const at = entries.findIndex((entry) => entryId(entry) === id)
  if (at < 0) return undefined
  const isShown = (entry: Entry): entry is FileEntry =>
    entry.kind === 'file' && isReachable(entry.key) && isWanted(entry)
  return {
    before: entries.slice(0, at).findLast(isShown),
    after: entries.slice(at + 1).find(isShown),
  }
}
