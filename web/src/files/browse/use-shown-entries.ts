import { useMemo } from 'react'
import type { Entry } from '../entries/entry.ts'
import { isView } from '../files-location.ts'
import { type ShownListing, useFolderListing } from '../listing/use-folder-listing.ts'
import { matching } from '../search/entry-filter.ts'
import { type Search, useSearch } from '../search/use-search.ts'
import { useMarked } from '../stars/use-marked.ts'
import type { BucketLocation } from './browser.ts'

interface ShownEntries {
  readonly listing: ShownListing
  /** Undefined if the list is that of the folder. */
  readonly search: Search | undefined
  /** By name. */
  readonly found: readonly Entry[]
}

/** What the address asks for: the entries of the folder, or the results of a search, that match its filter. */
export function useShownEntries(
  location: BucketLocation,
  round: number,
  onRemoved: (keys: ReadonlySet<string>) => void,
): ShownEntries {
  const { bucket, prefix, scope, filter: text, kind, changed, size } = location
  const isSearch = scope !== undefined
  const view = isView(scope) ? scope : undefined
  const folder = useFolderListing({ bucket, prefix, round, isShown: !isSearch }, onRemoved)
  const wish = {
    text: isSearch && view === undefined ? text.trim() : '',
    bucket: scope === 'all' ? undefined : bucket,
    prefix: scope === 'all' ? '' : prefix,
  }
  const searched = useSearch(wish, round)
  const marked = useMarked(view, round)
  const search = view === undefined ? searched : marked
  const entries = isSearch ? search.entries : folder.entries
  const found = useMemo(() => {
    const wanted = isSearch ? text.trim() : text
    return matching(entries, { text: wanted, kind, changed, size }, Date.now())
  }, [entries, isSearch, text, kind, changed, size])
  if (!isSearch) return { listing: folder, search: undefined, found }
  return { listing: listingOf(search), search, found }
}

function listingOf(search: Search): ShownListing {
  const { entries, isSearching, error, results } = search
  const ended = results.next === null ? 'complete' : 'stopped'
  return {
    entries,
    status: isSearching ? 'loading' : error === undefined ? ended : 'failed',
    error,
    updatedAtMs: 0,
    isStale: false,
    stop: search.stop,
    resume: search.searchOn,
  }
}
