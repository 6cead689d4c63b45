import { QueryClient } from '@tanstack/react-query'

const maxRetries = 2

/** 4xx responses are final; other errors may be transient. */
function retry(failures: number, error: Error): boolean {
  const { status } = error as Partial<Record<'status', unknown>>
  if (typeof status === 'number' && status >= 400 && status < 500) return false
  return failures < maxRetries
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry, staleTime: 5_000 },
    mutations: { retry: false },
  },
})
