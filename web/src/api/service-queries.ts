import { keepPreviousData, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { ActivityReply } from '../../../src/dashboard/management/activity-schemas.ts'
import type { FileJobsReply } from '../../../src/dashboard/management/files/file-job-schemas.ts'
import type {
  BucketsReply,
  StatusReply,
  UploadsReply,
} from '../../../src/dashboard/management/management-schemas.ts'
import type { TrafficReply } from '../../../src/dashboard/management/traffic-route.ts'
import { request } from './client.ts'

/**
 * The data of the service, refreshed periodically, more often while something changes. A hidden page
 * sends no requests: TanStack Query pauses intervals.
 */
const slowMs = 30_000
const calmMs = 10_000
const liveMs = 2_000
/** Requests for the buckets count them. */
const bucketStaleMs = 5 * 60_000

export function useStatus() {
  return useQuery({
    queryKey: ['status'],
    queryFn: ({ signal }) => request<StatusReply>('/-/api/status', { signal }),
    refetchInterval: slowMs,
  })
}

const bucketsQuery = queryOptions({
  queryKey: ['buckets'],
  queryFn: ({ signal }) => request<BucketsReply>('/-/api/buckets', { signal }),
})

/** The status of a bucket, without its latest figures; undefined: not known. */
export function useBucket(bucket: string) {
  const staleTime = bucketStaleMs
  return useQuery({
    ...{ ...bucketsQuery, staleTime },
    select: ({ buckets }) => buckets.find(({ name }) => name === bucket),
  }).data
}

export function useBuckets() {
  return useQuery({
    ...bucketsQuery,
    refetchInterval: ({ state }) =>
      state.data?.buckets.some(({ isCounting }) => isCounting) ? liveMs : slowMs,
  })
}

/** The running and the latest jobs on files, of all pages. */
export function useFileJobs() {
  return useQuery({
    queryKey: ['file-jobs'],
    queryFn: ({ signal }) => request<FileJobsReply>('/-/api/file-jobs', { signal }),
    refetchInterval: liveMs,
  })
}

/** Query parameters of `/-/api/activity`. */
export type ActivityFilter = Readonly<Partial<Record<string, string>>>

export function useActivity(filter: ActivityFilter) {
  return useInfiniteQuery({
    queryKey: ['activity', filter],
    queryFn: ({ pageParam, signal }) =>
      request<ActivityReply>('/-/api/activity', { query: { ...filter, after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    // While the user types, the previous rows stay until the matching ones have arrived.
    placeholderData: keepPreviousData,
    refetchInterval: calmMs,
  })
}

export type TrafficRange = 'hour' | 'day' | 'month'

export function useTraffic(range: TrafficRange) {
  return useQuery({
    queryKey: ['traffic', range],
    queryFn: ({ signal }) => request<TrafficReply>('/-/api/traffic', { query: { range }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: range === 'hour' ? calmMs : slowMs,
  })
}

export function useUploads(bucket?: string) {
  return useInfiniteQuery({
    queryKey: ['uploads', bucket],
    queryFn: ({ pageParam, signal }) =>
      request<UploadsReply>('/-/api/uploads', { query: { bucket, after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: calmMs,
  })
}
