import { useMutation, useQueryClient } from '@tanstack/react-query'
import { request } from '../api/client.ts'

export interface BucketRequest {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  /** Below `/-/api/buckets`. */
  readonly path: string
  readonly body?: object
}

/** Creates, changes or removes a bucket, and loads the list again. */
export function useBucketAction(onSuccess: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ method, path, body }: BucketRequest) =>
      request(`/-/api/buckets${path}`, { method, ...(body !== undefined && { body }) }),
    onSuccess,
    onSettled: () => queries.invalidateQueries({ queryKey: ['buckets'] }),
  })
}
