import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ModelKeyBody, ModelKeysReply } from '../../../../src/models/keys/model-key-routes.ts'
import { request } from '../../api/client.ts'

const path = '/-/api/model-keys'
const queryKey = ['model-keys']
const refreshMs = 30_000

export function useModelKeys() {
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => request<ModelKeysReply>(path, { signal }),
    refetchInterval: refreshMs,
  })
}

export interface ModelKeyRequest {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  /** Absent for a new key. */
  readonly keyId?: string
  readonly body?: ModelKeyBody
}

interface ModelKeyAction<Reply> {
  readonly onSuccess?: (reply: Reply) => void
  readonly onError?: (error: Error) => void
}

/** Changes a model key, or makes one, and loads the list again. */
export function useModelKeyAction<Reply = unknown>(action: ModelKeyAction<Reply>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ keyId, ...options }: ModelKeyRequest) =>
      request<Reply>(keyId === undefined ? path : `${path}/${keyId}`, options),
    ...action,
    onSettled: () => queries.invalidateQueries({ queryKey }),
  })
}
