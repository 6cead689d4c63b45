import { Skeleton, Stack } from '@mantine/core'

/** Replaces a list during its first load. */
export function LoadingLines({ count = 3 }: { readonly count?: number }) {
  return (
    <Stack gap="xs" role="status" aria-label="Loading">
      {Array.from({ length: count }, (_, index) => `line ${index}`).map((key) => (
        <Skeleton key={key} height={18} />
      ))}
    </Stack>
  )
}
