import { Button, Modal, Stack, Text } from '@mantine/core'
import { Confirm } from '../../ui/confirm.tsx'

export interface ClashAnswers {
  readonly keepMine: () => void
  readonly takeTheirs: () => void
  readonly saveCopy: () => void
  readonly cancel: () => void
}

interface ClashDialogProps {
  readonly isDeleted: boolean
  readonly isBusy: boolean
  readonly answers: ClashAnswers
}

/** Asks what to do with a text whose file has changed since it was read. */
export function ClashDialog({ isDeleted, isBusy, answers }: ClashDialogProps) {
  return (
    <Modal
      opened
      onClose={answers.cancel}
      title={isDeleted ? 'The file was deleted' : 'The file was changed by someone else'}
      centered
    >
      <Stack>
        <Text size="sm">
          {isDeleted
            ? 'It was moved or deleted after you opened it. Your text is not saved yet.'
            : 'It was saved again after you opened it. Your text is not saved yet.'}
        </Text>
        <Stack gap={8}>
          <Button loading={isBusy} onClick={answers.saveCopy} data-autofocus>
            Save mine as a copy
          </Button>
          <Button variant="default" disabled={isBusy} onClick={answers.keepMine}>
            {isDeleted ? 'Keep mine: create the file again' : 'Keep mine: replace theirs'}
          </Button>
          {!isDeleted && (
            <Button variant="default" disabled={isBusy} onClick={answers.takeTheirs}>
              Take theirs: discard mine
            </Button>
          )}
        </Stack>
      </Stack>
    </Modal>
  )
}

interface DiscardDialogProps {
  readonly onDiscard: () => void
  readonly onClose: () => void
}

/** Mounted when it is needed: the Escape that opens it would close it again. */
export function DiscardDialog({ onDiscard, onClose }: DiscardDialogProps) {
  return (
    <Confirm
      isOpen
      title="Discard your changes?"
      action="Discard"
      dismiss="Keep editing"
      onConfirm={onDiscard}
      onClose={onClose}
    >
      The text has changes that are not saved.
    </Confirm>
  )
}
