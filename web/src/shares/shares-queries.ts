import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type {
  ShareBody,
  ShareReply,
  SharesReply,
} from '../../../src/dashboard/shares/share-schemas.ts'
import { request } from '../api/client.ts'

const refreshMs = 15_000
const queryKey = ['shares']
const path = '/-/api/shares'

export function useShares() {
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => request<SharesReply>(path, { signal }),
    refetchInterval: refreshMs,
  })
}

export function useCreateShare() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: ShareBody) => request<ShareReply>(path, { method: 'POST', body }),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  })
}

export function useRevokeShare(onError: (error: Error) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (shareId: string) =>
      request(`${path}/${encodeURIComponent(shareId)}`, { method: 'DELETE' }),
    onError,
    onSettled: () => queries.invalidateQueries({ queryKey }),
  })
}
