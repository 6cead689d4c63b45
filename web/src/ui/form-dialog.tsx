import { Alert, Button, Group, Modal, Stack, TextInput, type TextInputProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { frameTexts } from '../texts/frame.ts'
import { useClosesOnEscape } from './confirm.tsx'
import { typeHeldKeys } from './held-keys.ts'

interface FormDialogProps {
  readonly title: string
  readonly size?: string
  readonly children: ReactNode
  /** The label of the submit button. */
  readonly action: string
  readonly isBusy?: boolean
  /** Why it cannot be submitted, and what to do. */
  readonly obstacle?: string | undefined
  /** Why the action failed. */
  readonly problem?: string | undefined
  /** Shown at the opposite end of the button row. */
  readonly aside?: ReactNode
  readonly onSubmit: () => void
  readonly onClose: () => void
}

/** A dialog with a form, which asks for what an action needs. */
export function FormDialog(props: FormDialogProps) {
  const { title, size = 'md', children, action, isBusy = false } = props
  const { obstacle, problem, aside, onSubmit, onClose } = props
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={size}
      centered
      closeOnEscape={useClosesOnEscape()}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy && obstacle === undefined) onSubmit()
        }}
      >
        <Stack>
          {children}
          {problem !== undefined && (
            <Alert color="red" role="alert">
              {problem}
            </Alert>
          )}
          {obstacle !== undefined && <Alert color="yellow">{obstacle}</Alert>}
          <Group justify="space-between" gap="sm">
            {aside}
            <Group gap="sm" ml="auto">
              <Button variant="default" onClick={onClose}>
                {frameTexts.cancel}
              </Button>
              <Button type="submit" loading={isBusy} disabled={obstacle !== undefined}>
                {action}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** The first field of a dialog, for a name or path. */
export function NameInput(props: TextInputProps) {
  return (
    <TextInput ref={focusAtOnce} spellCheck={false} autoComplete="off" data-autofocus {...props} />
  )
}

/** The dialog would give the field the focus in a later task, and what is typed until then would be lost. */
export function focusAtOnce(input: HTMLInputElement | null): void {
  if (input === null) return
  input.focus()
  typeHeldKeys(input)
}
