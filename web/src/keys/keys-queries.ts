import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { KeysReply } from '../../../src/console/management/key-schemas.ts'
import { request } from '../api/client.ts'

const refreshMs = 30_000
const queryKey = ['keys']

export function useKeys() {
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => request<KeysReply>('/-/api/keys', { signal }),
    refetchInterval: refreshMs,
  })
}

export interface KeyRequest {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  /** Below `/-/api/keys`. */
  readonly path: string
  readonly body?: object
}

interface KeyAction<Reply> {
  readonly onSuccess?: (reply: Reply) => void
  readonly onError?: (error: Error) => void
}

/** Changes an access key, or makes one, and loads the list again. */
export function useKeyAction<Reply = unknown>({ onSuccess, onError }: KeyAction<Reply>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ method, path, body }: KeyRequest) =>
      request<Reply>(`/-/api/keys${path}`, { method, ...(body !== undefined && { body }) }),
    ...(onSuccess !== undefined && { onSuccess }),
    ...(onError !== undefined && { onError }),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  })
}

export function pathOf({ accessKeyId }: { readonly accessKeyId: string }): string {
  return `/${encodeURIComponent(accessKeyId)}`
}
