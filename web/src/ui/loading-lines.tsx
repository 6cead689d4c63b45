import { Skeleton, Stack } from '@mantine/core'

/** In place of a list that is loading for the first time. */
export function LoadingLines({ count = 3 }: { readonly count?: number }) {
  return (
    <Stack gap="xs" role="status" aria-label="Loading">
      {Array.from({ length: count }, (_, index) => `line ${index}`).map((key) => (
        <Skeleton key={key} height={18} />
      ))}
    </Stack>
  )
}
