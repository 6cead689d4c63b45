import { useQuery } from '@tanstack/react-query'
import type { StatusReply } from '../../../src/console/management/replies.ts'
import { request } from '../api/client.ts'

/** The address of the model list. */
export function useListUrl(): string | undefined {
  const { data } = useQuery({
    queryKey: ['status'],
    queryFn: ({ signal }) => request<StatusReply>('/-/api/status', { signal }),
  })
  return data === undefined ? undefined : `${data.endpoint.url.replace(/\/+$/, '')}/v1/models`
}
