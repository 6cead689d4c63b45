import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ListingsAnswer, ProvidersAnswer } from '../../../src/models/list/model-list-api.ts'
import type { WarnedRouting } from '../../../src/models/routing/routing-schemas.ts'
import { type RequestOptions, request } from '../api/client.ts'
import { failureOf } from '../ui/messages.ts'
import type { ListName } from './listed/list-names.ts'

export const routingPath = '/-/api/routing'

/** An entry of the model list. */
export interface ListedModel {
  readonly id: string
  readonly owned_by: string
  readonly kind?: string
}

export function useRouting() {
  return useQuery({
    queryKey: ['routing'],
    queryFn: ({ signal }) => request<WarnedRouting>(routingPath, { signal }),
  })
}

/** Whether no connection is active; false while it is not known. */
export function useHasNoConnection(): boolean {
  return useRouting().data?.connections.every(({ isActive }) => !isActive) ?? false
}

export function useProviders() {
  return useQuery({
    queryKey: ['providers'],
    queryFn: ({ signal }) => request<ProvidersAnswer>(`${routingPath}/providers`, { signal }),
    // Read from files when the gateway starts.
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Queries the upstreams, so it can take as long as a model list: up to 5 s. */
export function useListings() {
  return useQuery({
    queryKey: ['listed', 'connections'],
    queryFn: ({ signal }) => request<ListingsAnswer>(`${routingPath}/listings`, { signal }),
  })
}

export function useListedModels(list: ListName) {
  return useQuery({
    queryKey: ['listed', list],
    queryFn: async ({ signal }) => {
      const path = `${routingPath}/models/${list}`
      const { data } = await request<{ data: readonly ListedModel[] }>(path, { signal })
      return data
    },
  })
}

export interface RoutingChange extends Pick<RequestOptions, 'body' | 'query'> {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/-/api/routing`. */
  readonly path: string
}

/** Applies a change and refreshes everything that depends on it. */
export function useChangeRouting(): <Reply>(change: RoutingChange) => Promise<Reply> {
  const queries = useQueryClient()
  return async <Reply>({ path, ...options }: RoutingChange) => {
    const reply = await request<Reply>(routingPath + path, options)
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['routing'] }),
      queries.invalidateQueries({ queryKey: ['listed'] }),
    ])
    return reply
  }
}

/** A change triggered by a click. A failure is shown as a notification. */
export function useRoutingAction(failureTitle: string) {
  const change = useChangeRouting()
  return useMutation({
    mutationFn: (action: RoutingChange) => change(action),
    onError: failureOf(failureTitle),
  })
}
