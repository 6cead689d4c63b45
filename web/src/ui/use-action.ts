import { useMutation, useQueryClient } from '@tanstack/react-query'
import { request } from '../api/client.ts'
import { failureOf } from './messages.ts'

interface Action {
  readonly method: 'POST' | 'DELETE'
  readonly path: string
  /** The title of the notification if it fails. */
  readonly failure: string
  /** The key of the query that shows the result. */
  readonly refreshes: string
}

/** A request triggered by a click. */
export function useAction({ path, method, failure, refreshes }: Action) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => request(path, { method }),
    onError: failureOf(failure),
    onSettled: () => queries.invalidateQueries({ queryKey: [refreshes] }),
  })
}

export interface Change {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  /** Relative to the base path. */
  readonly path: string
  readonly body?: object
}

export interface ChangeHandlers<Reply> {
  readonly onSuccess?: (reply: Reply) => void
  readonly onError?: (error: Error) => void
}

/** Creates or changes a resource below a path, then reloads the list of resources. */
export function useChange<Reply>(
  { base, refreshes }: { readonly base: string; readonly refreshes: string },
  handlers: ChangeHandlers<Reply>,
) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ path, ...options }: Change) => request<Reply>(base + path, options),
    ...handlers,
    onSettled: () => queries.invalidateQueries({ queryKey: [refreshes] }),
  })
}
