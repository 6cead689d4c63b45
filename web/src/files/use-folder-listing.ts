import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { ApiError } from '../api/api-error.ts'
import { useSession } from '../session/session-context.ts'
import { listPage } from './bucket-client.ts'
import { type Entry, entryWithin } from './entry.ts'
import { FolderListing, type ListingState } from './folder-listing.ts'
import { driveChanges } from './transfers.ts'

export interface ShownListing extends ListingState {
  /** What is shown is of before: nothing has come yet. */
  readonly isStale: boolean
  readonly stop: () => void
  readonly resume: () => void
}

export interface ListingPlace {
  readonly bucket: string
  readonly prefix: string
  readonly filter: string
  /** Another number lists anew. */
  readonly round: number
}

/** Changes of this page are shown together, so many milliseconds after the first. */
const gatherMs = 200

/** The entries of a folder, kept up to date with what this page does. */
export function useFolderListing(
  { bucket, prefix, filter, round }: ListingPlace,
  onRemoved: (keys: ReadonlySet<string>) => void,
): ShownListing {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round is another listing
  const listing = useMemo(
    () =>
      new FolderListing({
        fetchPage: (continuationToken, signal) =>
          listPage({
            ...{ bucket, continuationToken, signal },
            prefix: prefix + filter,
            folder: prefix,
            isDeep: false,
          }),
        now: () => performance.now(),
      }),
    [bucket, prefix, filter, round],
  )
  useEffect(() => {
    listing.resume()
    return () => listing.stop()
  }, [listing])
  useEffect(
    () => follow({ bucket, prefix, filter }, listing, onRemoved),
    [bucket, prefix, filter, listing, onRemoved],
  )
  const state = useSyncExternalStore(listing.subscribe, listing.snapshot)
  useResumeAfterSignIn(listing, state)
  const shown = useLastEntries(state)
  return useMemo(
    () => ({ ...shown, stop: () => listing.stop(), resume: () => listing.resume() }),
    [shown, listing],
  )
}

/** Another filter leaves the list as it is until there is something else to show. */
function useLastEntries(state: ListingState): ListingState & Pick<ShownListing, 'isStale'> {
  const last = useRef(state.entries)
  const isStale = state.status === 'loading' && state.entries.length === 0
  useEffect(() => {
    if (!isStale) last.current = state.entries
  }, [isStale, state.entries])
  return useMemo(
    () => ({ ...state, isStale, entries: isStale ? last.current : state.entries }),
    [state, isStale],
  )
}

function follow(
  { bucket, prefix, filter }: Omit<ListingPlace, 'round'>,
  listing: FolderListing,
  onRemoved: (keys: ReadonlySet<string>) => void,
): () => void {
  let added = new Map<string, Entry>()
  let removed = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    timer = undefined
    onRemoved(removed)
    listing.change([...added.values()], removed)
    added = new Map()
    removed = new Set()
  }
  const unsubscribe = driveChanges.subscribe((change) => {
    if (change.bucket !== bucket) return
    if (change.type === 'removed') {
      for (const key of change.keys) {
        removed.add(key)
        added.delete(key)
      }
    } else {
      const entry = entryWithin(prefix, change.file)
      if (entry === undefined || !entry.name.startsWith(filter)) return
      added.set(entry.key, entry)
    }
    timer ??= setTimeout(flush, gatherMs)
  })
  return () => {
    unsubscribe()
    clearTimeout(timer)
  }
}

/** A listing that broke off because the session was over goes on by itself. */
function useResumeAfterSignIn(listing: FolderListing, { error }: ListingState): void {
  const { status } = useSession()
  const isSignedOut = error instanceof ApiError && error.status === 401
  useEffect(() => {
    if (isSignedOut && status === 'active') listing.resume()
  }, [isSignedOut, status, listing])
}
