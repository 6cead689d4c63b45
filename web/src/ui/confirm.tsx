import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface ConfirmProps {
  readonly isOpen: boolean
  readonly title: string
  /** What happens, and whether it can be undone. */
  readonly children: ReactNode
  /** The label of the confirm button. */
  readonly action: string
  /** The label of the cancel button. */
  readonly dismiss?: string
  readonly isBusy?: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Asks before an action that cannot be undone. */
export function Confirm(props: ConfirmProps) {
  const { isOpen, title, children, action, dismiss = 'Cancel' } = props
  const { isBusy = false, onConfirm, onClose } = props
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} centered>
      <Stack>
        <Text component="div" size="sm">
          {children}
        </Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            {dismiss}
          </Button>
          <Button color="red" loading={isBusy} onClick={onConfirm}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
