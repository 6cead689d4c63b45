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
