import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { MarkedReply } from '../../../../src/dashboard/management/files/mark-routes.ts'
import { request } from '../../api/client.ts'
import { type Entry, nameOf } from '../entries/entry.ts'
import { noResults } from '../search/search-results.ts'
import type { Search } from '../search/use-search.ts'
import { driveChanges } from '../transfers/transfers.ts'
import { stars } from './star-store.ts'

/** The starred or the recent files, as the results of a search that has ended. */
export function useMarked(view: 'starred' | 'recent' | undefined, round: number): Search {
  const { data, error, isLoading, refetch } = useQuery({
    queryKey: ['marked', view, round],
    queryFn: ({ signal }) =>
      view === 'starred' ? stars.load(signal) : request<MarkedReply>('/-/api/recent', { signal }),
    enabled: view !== undefined,
    // Another tab, or an S3 client, may have changed what there is.
    staleTime: 0,
    placeholderData: (before) => before,
  })
  useEffect(() => {
    if (view === undefined) return
    return driveChanges.subscribeToBatches(() => void refetch())
  }, [view, refetch])
  const entries = useMemo(() => data?.entries.map((one) => entryOf(one, view)) ?? [], [data, view])
  return {
    entries,
    results: { ...noResults, next: null },
    isSearching: isLoading,
    error: error ?? undefined,
    stop: () => undefined,
    searchOn: () => void refetch(),
  }
}

/** Recent files have the time at which they were uploaded or opened. */
function entryOf(
  marked: MarkedReply['entries'][number],
  view: 'starred' | 'recent' | undefined,
): Entry {
  const { bucket, key, atMs, size, modifiedAtMs = 0, fileTimeMs, etag = '' } = marked
  const shown = { bucket, key, name: nameOf(key) }
  if (size === undefined) return { kind: 'folder', ...shown }
  const file = { kind: 'file', ...shown, size, etag } as const
  if (view === 'recent') return { ...file, modifiedAtMs: atMs }
  return { ...file, modifiedAtMs, ...(fileTimeMs !== undefined && { fileTimeMs }) }
}
