import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import type { FolderRevisionReply } from '../../../../src/dashboard/management/management-schemas.ts'
import { ApiError } from '../../api/api-error.ts'
import { request } from '../../api/client.ts'
import { useConnection } from '../../connection/use-connection.ts'
import { useSession } from '../../session/use-session.ts'
import { type Entry, entryWithin } from '../entries/entry.ts'
import type { DriveChange } from '../transfers/drive-changes.ts'
import { driveChanges } from '../transfers/transfers.ts'
import { FolderListing, type ListingState } from './folder-listing.ts'
import { FolderWatch } from './folder-watch.ts'
import { pagesOf } from './open-folder.ts'

export interface ShownListing extends ListingState {
  /** The shown entries are of the previous listing: nothing new has loaded yet. */
  readonly isStale: boolean
  readonly stop: () => void
  readonly resume: () => void
}

interface ListedFolder {
  readonly bucket: string
  readonly prefix: string
  /** A new number reloads the listing. */
  readonly round: number
  /** Whether the folder is shown: nothing is loaded otherwise. */
  readonly isShown: boolean
}

/** The delay after a listing that failed although the service responds. */
const resumeAfterMs = 1_000

/** The entries of a folder, kept up to date with changes made by this page and by others. */
export function useFolderListing(
  { bucket, prefix, round, isShown }: ListedFolder,
  onRemoved: (keys: ReadonlySet<string>) => void,
): ShownListing {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round reloads the listing
  const listing = useMemo(() => {
    const pages = pagesOf({ bucket, prefix })
    return new FolderListing({
      fetchPage: (after, signal) => pages.fetch(after, signal),
      now: () => performance.now(),
      onGone: onRemoved,
    })
  }, [bucket, prefix, round, onRemoved])
  useEffect(() => {
    if (!isShown) return
    listing.resume()
    return () => listing.stop()
  }, [listing, isShown])
  useEffect(
    () => follow({ bucket, prefix }, listing, onRemoved),
    [bucket, prefix, listing, onRemoved],
  )
  const state = useSyncExternalStore(listing.subscribe, listing.snapshot)
  useResumeWhenConnected(listing, state)
  useWatch({ bucket, prefix }, listing, isShown && state.status === 'complete')
  const shown = useLastEntries(state)
  return useMemo(
    () => ({ ...shown, stop: () => listing.stop(), resume: () => listing.resume() }),
    [shown, listing],
  )
}

/** While a folder is loaded again, keeps the old list until new entries have loaded. */
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
  { bucket, prefix }: Pick<ListedFolder, 'bucket' | 'prefix'>,
  listing: FolderListing,
  onRemoved: (keys: ReadonlySet<string>) => void,
): () => void {
  return driveChanges.subscribeToBatches((changes) => {
    const { added, removed } = inFolder(
      changes.filter((change) => change.bucket === bucket),
      prefix,
    )
    if (added.size + removed.size === 0) return
    onRemoved(removed)
    listing.change([...added.values()], removed)
  })
}

function inFolder(changes: readonly DriveChange[], prefix: string) {
  const added = new Map<string, Entry>()
  const removed = new Set<string>()
  for (const change of changes) {
    if (change.type === 'removed') {
      for (const key of change.keys) {
        removed.add(key)
        added.delete(key)
      }
    } else {
      const entry = entryWithin(prefix, change.file)
      if (entry !== undefined) added.set(entry.key, entry)
    }
  }
  return { added, removed }
}

/**
 * Checks every few seconds, and when the page becomes visible, whether the folder has changed. A
 * hidden or offline page sends no requests: TanStack Query pauses.
 */
function useWatch(
  { bucket, prefix }: Pick<ListedFolder, 'bucket' | 'prefix'>,
  listing: FolderListing,
  isComplete: boolean,
): void {
  const { status } = useSession()
  const watch = useMemo(
    () =>
      new FolderWatch({
        listing,
        ask: (signal) =>
          request<FolderRevisionReply>('/-/api/folder-revision', {
            query: { bucket, prefix },
            signal,
          }),
        now: () => performance.now(),
      }),
    [listing, bucket, prefix],
  )
  useQuery({
    queryKey: ['folder-watch', bucket, prefix],
    queryFn: async ({ signal }) => {
      await watch.look(signal)
      return null
    },
    enabled: isComplete && status === 'active',
    refetchInterval: () => watch.delayMs,
    refetchOnWindowFocus: 'always',
    retry: false,
    gcTime: 0,
  })
}

/** Resumes a listing that failed because the service did not respond. */
function useResumeWhenConnected(listing: FolderListing, { error }: ListingState): void {
  const connection = useConnection()
  const isUnreachable = error instanceof ApiError && error.status === 0
  useEffect(() => {
    if (!isUnreachable || connection === 'lost') return
    const timer = setTimeout(() => listing.resume(), resumeAfterMs)
    return () => clearTimeout(timer)
  }, [isUnreachable, connection, listing])
}
