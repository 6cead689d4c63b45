import { useQuery } from '@tanstack/react-query'
import { createContext, useEffect, useMemo, useSyncExternalStore } from 'react'
import type { FolderCountsReply } from '../../../../src/dashboard/management/folders/folder-count-routes.ts'
import { ApiError } from '../../api/api-error.ts'
import { request } from '../../api/client.ts'
import { filesTexts } from '../../texts/files.ts'
import { showFailure } from '../../ui/messages.ts'
import { CountQueue } from './count-queue.ts'
import type { FolderCount } from './size-text.ts'

/** The known sizes of the folders in a folder. */
export interface FolderSizes {
  /** By the key of the folder. */
  readonly counts: ReadonlyMap<string, FolderCount>
  readonly waiting: ReadonlySet<string>
}

const noSizes: FolderSizes = { counts: new Map(), waiting: new Set() }

/** The folder sizes for the rows of the open folder. */
export const FolderSizesContext = createContext(noSizes)

const path = '/-/api/folder-counts'
const countingMs = 1_000

const queue = new CountQueue({
  start: (body) => request(path, { method: 'POST', body }),
  isFull: (error) => error instanceof ApiError && error.status === 409,
  pause: () => new Promise((resolve) => setTimeout(resolve, countingMs)),
  onFailure: (error) =>
    showFailure(filesTexts.size.failure, error instanceof Error ? error.message : String(error)),
})

/** Counts folders in the background. */
export function measure(bucket: string, prefixes: readonly string[]): void {
  queue.add(bucket, prefixes)
}

/** Stops counting these folders, and removes those that wait from the queue. */
export async function stopMeasuring(
  bucket: string,
  { counts, waiting }: FolderSizes,
): Promise<void> {
  queue.drop((wanted) => wanted.bucket === bucket && waiting.has(wanted.prefix))
  const running = [...counts.values()].filter(({ isCounting }) => isCounting)
  const stop = ({ id }: FolderCount) => request(`${path}/${id}`, { method: 'DELETE' })
  // The rows poll until no folder is being counted.
  await Promise.allSettled(running.map(stop))
}

/** @param prefix of the open folder */
export function useFolderSizes(bucket: string, prefix: string, hasFolders: boolean): FolderSizes {
  const queued = useSyncExternalStore(queue.subscribe, queue.snapshot)
  const { data, refetch } = useQuery({
    queryKey: ['folder-counts', bucket, prefix],
    queryFn: ({ signal }) =>
      request<FolderCountsReply>(path, { query: { bucket, prefix }, signal }),
    enabled: hasFolders,
    refetchInterval: ({ state }) =>
      state.data?.counts.some(({ isCounting }) => isCounting) ? countingMs : false,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each change of the queue
  useEffect(() => {
    // A folder that waited is counted now.
    if (hasFolders) void refetch()
  }, [queued, hasFolders, refetch])
  return useMemo(() => {
    if (data === undefined && queued.length === 0) return noSizes
    const own = queued.filter((wanted) => wanted.bucket === bucket)
    return {
      counts: new Map(data?.counts.map((count) => [count.prefix, count])),
      waiting: new Set(own.map((wanted) => wanted.prefix)),
    }
  }, [data, queued, bucket])
}

/** The number of folders that are being counted or waiting. */
export function measuredCount({ counts, waiting }: FolderSizes): number {
  const running = [...counts.values()].filter(({ isCounting }) => isCounting)
  return new Set([...waiting, ...running.map((count) => count.prefix)]).size
}
