import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type {
  BucketsReply,
  DeletionsReply,
  FailuresReply,
  StatusReply,
  UploadsReply,
} from '../../../src/console/management/replies.ts'
import { request } from './client.ts'

/**
 * The data of the service, refreshed periodically, more often while something changes. A hidden page
 * sends no requests: TanStack Query pauses intervals.
 */
const slowMs = 30_000
const calmMs = 10_000
const liveMs = 2_000

export function useStatus() {
  return useQuery({
    queryKey: ['status'],
    queryFn: ({ signal }) => request<StatusReply>('/-/api/status', { signal }),
    refetchInterval: slowMs,
  })
}

export function useBuckets() {
  return useQuery({
    queryKey: ['buckets'],
    queryFn: ({ signal }) => request<BucketsReply>('/-/api/buckets', { signal }),
    refetchInterval: ({ state }) =>
      state.data?.buckets.some(({ isCounting }) => isCounting) ? liveMs : slowMs,
  })
}

export function useDeletions() {
  return useQuery({
    queryKey: ['deletions'],
    queryFn: ({ signal }) => request<DeletionsReply>('/-/api/deletions', { signal }),
    refetchInterval: ({ state }) =>
      state.data?.deletions.some((deletion) => deletion.state === 'running') ? liveMs : calmMs,
  })
}

export function useFailures() {
  return useQuery({
    queryKey: ['failures'],
    queryFn: ({ signal }) => request<FailuresReply>('/-/api/failures', { signal }),
    refetchInterval: calmMs,
  })
}

export function useUploads() {
  return useInfiniteQuery({
    queryKey: ['uploads'],
    queryFn: ({ pageParam, signal }) =>
      request<UploadsReply>('/-/api/uploads', { query: { after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: calmMs,
  })
}
