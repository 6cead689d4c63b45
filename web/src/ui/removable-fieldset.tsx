import { Fieldset } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { frameTexts } from '../texts/frame.ts'
import { IconButton } from './icon-button.tsx'

interface RemovableFieldsetProps {
  readonly title: string
  readonly children: ReactNode
  /** Absent if it cannot be removed. */
  readonly onRemove?: (() => void) | undefined
}

/** One of several groups of fields. */
export function RemovableFieldset({ title, children, onRemove }: RemovableFieldsetProps) {
  return (
    <Fieldset legend={title} pos="relative">
      {onRemove !== undefined && (
        <IconButton
          label={frameTexts.remove(frameTexts.inSentence(title))}
          pos="absolute"
          top={-4}
          right={8}
          onClick={onRemove}
        >
          <IconX size={16} />
        </IconButton>
      )}
      {children}
    </Fieldset>
  )
}
