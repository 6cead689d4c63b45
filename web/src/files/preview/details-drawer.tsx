import { Drawer, FocusTrap, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { frameTexts } from '../../texts/frame.ts'
import { useClosesOnEscape } from '../../ui/confirm.tsx'

interface DetailsDrawerProps {
  readonly title: ReactNode
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Details beside the list, without a preview. */
export function DetailsDrawer({ title, onClose, children }: DetailsDrawerProps) {
  return (
    <Drawer
      opened
      onClose={onClose}
      closeOnEscape={useClosesOnEscape()}
      position="right"
      size="min(400px, 100%)"
      title={title}
      closeButtonProps={{ 'aria-label': frameTexts.close }}
    >
      <FocusTrap.InitialFocus />
      <Stack>{children}</Stack>
    </Drawer>
  )
}
