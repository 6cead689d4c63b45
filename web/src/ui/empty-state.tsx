import { Box, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface EmptyStateProps {
  readonly icon: ReactNode
  readonly title: string
  /** What to do about it, in a sentence. */
  readonly children?: ReactNode
  /** The button that does it. */
  readonly action?: ReactNode
}

/** Replaces an empty list. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <Stack align="center" gap={6} px={16} py={32}>
      <Text span c="dimmed" lh={0}>
        {icon}
      </Text>
      <Text fw={600} ta="center">
        {title}
      </Text>
      {children !== undefined && (
        <Text size="sm" component="div" ta="center" maw="46ch" c="dimmed">
          {children}
        </Text>
      )}
      {action !== undefined && <Box mt={8}>{action}</Box>}
    </Stack>
  )
}
