import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useLayoutEffect, useSyncExternalStore } from 'react'
import { frameTexts } from '../texts/frame.ts'
import { Store } from './store.ts'

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

/** The number of open questions. */
class OpenQuestions extends Store<number> {
  readonly add = (change: 1 | -1) => this.publish(this.snapshot() + change)
}

const questions = new OpenQuestions(0)

/** Whether Escape closes a dialog: not while a question is open over it. */
export function useClosesOnEscape(): boolean {
  return useSyncExternalStore(questions.subscribe, questions.snapshot) === 0
}

/** Asks before an action that cannot be undone. */
export function Confirm(props: ConfirmProps) {
  const { isOpen, title, children, action, dismiss = frameTexts.cancel } = props
  const { isBusy = false, onConfirm, onClose } = props
  // Before anybody can press Escape, which would close what lies below.
  useLayoutEffect(() => {
    if (!isOpen) return
    questions.add(1)
    return () => questions.add(-1)
  }, [isOpen])
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
