import { Button } from '@mantine/core'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { frameTexts } from '../texts/frame.ts'

interface MoreButtonProps {
  readonly query: Pick<
    UseInfiniteQueryResult,
    'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
  >
  readonly label?: string
}

/** Reads the next page of a list, if there is one. */
export function MoreButton({ query, label = frameTexts.showMore }: MoreButtonProps) {
  if (!query.hasNextPage) return null
  return (
    <Button
      variant="default"
      size="xs"
      mt="sm"
      loading={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
    >
      {label}
    </Button>
  )
}
