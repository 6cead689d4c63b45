import { Alert, Button, Group, Modal, Stack, TextInput, type TextInputProps } from '@mantine/core'
import type { ReactNode } from 'react'

interface FormDialogProps {
  readonly title: string
  readonly size?: string
  readonly children: ReactNode
  /** The label of the submit button. */
  readonly action: string
  readonly isBusy?: boolean
  /** Why it cannot be submitted, and what to do. */
  readonly obstacle?: string | undefined
  readonly onSubmit: () => void
  readonly onClose: () => void
}

/** A dialog with a form, which asks for what an action needs. */
export function FormDialog(props: FormDialogProps) {
  const {
    title,
    size = 'md',
    children,
    action,
    isBusy = false,
    obstacle,
    onSubmit,
    onClose,
  } = props
  return (
    <Modal opened onClose={onClose} title={title} size={size} centered>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy && obstacle === undefined) onSubmit()
        }}
      >
        <Stack>
          {children}
          {obstacle !== undefined && <Alert color="yellow">{obstacle}</Alert>}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy} disabled={obstacle !== undefined}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** The first field of a dialog, for a name or path. */
export function NameInput(props: TextInputProps) {
  return <TextInput spellCheck={false} autoComplete="off" data-autofocus {...props} />
}
