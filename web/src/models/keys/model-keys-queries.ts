import { useQuery } from '@tanstack/react-query'
import type { ModelKeysReply } from '../../../../src/models/keys/model-key-routes.ts'
import { request } from '../../api/client.ts'
import { type ChangeHandlers, useChange } from '../../ui/use-action.ts'

const base = '/-/api/model-keys'
const refreshMs = 30_000

export function useModelKeys() {
  return useQuery({
    queryKey: ['model-keys'],
    queryFn: ({ signal }) => request<ModelKeysReply>(base, { signal }),
    refetchInterval: refreshMs,
  })
}

/** Creates or changes a model key. */
export function useModelKeyAction<Reply = unknown>(handlers: ChangeHandlers<Reply>) {
  return useChange({ base, refreshes: 'model-keys' }, handlers)
}
