import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { BucketsReply, StatusReply } from '../../../src/console/management/replies.ts'
import { request } from '../api/client.ts'

/** Uses the same query keys as other pages, so that they share loaded data. */
export function useBuckets(): UseQueryResult<BucketsReply> {
  return useQuery({
    queryKey: ['buckets'],
    queryFn: ({ signal }) => request<BucketsReply>('/-/api/buckets', { signal }),
    refetchInterval: 30_000,
  })
}

export function useStatus(): StatusReply | undefined {
  const { data } = useQuery({
    queryKey: ['status'],
    queryFn: ({ signal }) => request<StatusReply>('/-/api/status', { signal }),
  })
  return data
}
