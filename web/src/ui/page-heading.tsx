import { Box, Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { PageTitle } from './page-title.tsx'

interface PageHeadingProps {
  readonly title: string
  /** What the page is for, in a sentence or two. */
  readonly children?: ReactNode
  /** Shown at the end of the title line. */
  readonly actions?: ReactNode
}

/** The beginning of a page. */
export function PageHeading({ title, children, actions }: PageHeadingProps) {
  return (
    <Box mb="md">
      <PageTitle title={title} />
      <Group align="baseline" justify="space-between" gap="4px 16px">
        <Title order={1} size="h2">
          {title}
        </Title>
        {actions}
      </Group>
      {children !== undefined && (
        <Text size="sm" c="dimmed" mt={4} maw={720}>
          {children}
        </Text>
      )}
    </Box>
  )
}
