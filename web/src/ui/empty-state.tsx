import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './empty-state.module.css'

interface EmptyStateProps {
  readonly icon: ReactNode
  readonly title: string
  /** What to do about it. */
  readonly children?: ReactNode
}

/** Replaces an empty list. */
export function EmptyState({ icon, title, children }: EmptyStateProps) {
  return (
    <Stack align="center" gap={6} className={classes.empty}>
      <span className={classes.icon}>{icon}</span>
      <Text fw={600} ta="center">
        {title}
      </Text>
      {children !== undefined && (
        <Text size="sm" component="div" ta="center" className={classes.hint}>
          {children}
        </Text>
      )}
    </Stack>
  )
}
