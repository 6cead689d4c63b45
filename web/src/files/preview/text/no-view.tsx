import { Button } from '@mantine/core'
import { IconFileCode } from '@tabler/icons-react'
import { EmptyState } from '../../../ui/empty-state.tsx'

interface NoViewProps {
  readonly reason: string
  readonly onSource: () => void
}

/** Replaces a view of a text that has none. */
export function NoView({ reason, onSource }: NoViewProps) {
  return (
    <EmptyState icon={<IconFileCode size={36} stroke={1.2} />} title={reason}>
      <Button mt="xs" size="xs" variant="default" onClick={onSource}>
        Show the source
      </Button>
    </EmptyState>
  )
}
