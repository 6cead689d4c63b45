import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type {
  ShareBody,
  ShareChange,
  ShareReply,
  SharesReply,
} from '../../../src/dashboard/shares/share-schemas.ts'
import { request } from '../api/client.ts'
import { sharedUrl } from '../api/service-address.ts'
import { useStatus } from '../api/service-queries.ts'

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

export function useChangeShare(shareId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: ShareChange) =>
      request<ShareReply>(`${path}/${encodeURIComponent(shareId)}`, { method: 'PATCH', body }),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  })
}

/** The address of a link as this browser reaches it; undefined if it cannot be shown, or not yet. */
export function useShareUrl({ url }: Pick<ShareReply, 'url'>): string | undefined {
  const endpoint = useStatus().data?.endpoint
  if (url === null || endpoint === undefined) return undefined
  return sharedUrl(url, endpoint, location.origin)
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
