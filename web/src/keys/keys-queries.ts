import { useQuery } from '@tanstack/react-query'
import type { KeysReply } from '../../../src/dashboard/management/key-routes.ts'
import { request } from '../api/client.ts'
import { type ChangeHandlers, useChange } from '../ui/use-action.ts'

const refreshMs = 30_000
const base = '/-/api/keys'

export function useKeys() {
  return useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) => request<KeysReply>(base, { signal }),
    refetchInterval: refreshMs,
  })
}

/** Creates or changes an access key. */
export function useKeyAction<Reply = unknown>(handlers: ChangeHandlers<Reply>) {
  return useChange({ base, refreshes: 'keys' }, handlers)
}

export function pathOf({ accessKeyId }: { readonly accessKeyId: string }): string {
  return `/${encodeURIComponent(accessKeyId)}`
}
