import { Button } from '@mantine/core'
import { IconFileCode } from '@tabler/icons-react'
import { previewTexts } from '../../../texts/preview.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'

interface NoViewProps {
  readonly reason: string
  readonly onSource: () => void
}

/** Shown instead of a view that a text cannot have. */
export function NoView({ reason, onSource }: NoViewProps) {
  return (
    <EmptyState icon={<IconFileCode size={36} stroke={1.2} />} title={reason}>
      <Button mt="xs" size="xs" variant="default" onClick={onSource}>
        {previewTexts.text.showSource}
      </Button>
    </EmptyState>
  )
}
