import { Skeleton, Stack } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { frameTexts } from '../texts/frame.ts'
import { FailureNotice } from './failure-notice.tsx'

interface LoadedProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>
  /** "The buckets could not be loaded". */
  readonly failure: string
  /** Placeholders during the first load. */
  readonly lines?: number
  readonly children: (data: Data) => ReactNode
}

/** The data of a query, a placeholder while it loads, or its error. */
export function Loaded<Data>({ query, failure, lines = 3, children }: LoadedProps<Data>) {
  const { data, error, refetch } = query
  if (data !== undefined) return children(data)
  if (error !== null) {
    return <FailureNotice title={failure} error={error} onRetry={() => void refetch()} />
  }
  return (
    <Stack gap="xs" role="status" aria-label={frameTexts.loading}>
      {Array.from({ length: lines }, (_, index) => `line ${index}`).map((key) => (
        <Skeleton key={key} height={18} />
      ))}
    </Stack>
  )
}
