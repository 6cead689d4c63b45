import { QueryClient } from '@tanstack/react-query'
import { ApiError } from '../api/api-error.ts'

const maxRetries = 2

/** What the service refuses it refuses again; only what may pass is tried again. */
function retry(failures: number, error: Error): boolean {
  if (error instanceof ApiError && error.status !== 0 && error.status < 500) return false
  return failures < maxRetries
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry, staleTime: 5_000 },
    mutations: { retry: false },
  },
})
