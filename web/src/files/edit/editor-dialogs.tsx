import { Button, Modal, Stack, Text } from '@mantine/core'
import { fileEditTexts } from '../../texts/file-edit.ts'
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
      title={isDeleted ? fileEditTexts.clash.deleted : fileEditTexts.clash.changed}
      centered
    >
      <Stack>
        <Text size="sm">
          {isDeleted ? fileEditTexts.clash.deletedText : fileEditTexts.clash.changedText}
        </Text>
        <Stack gap={8}>
          <Button loading={isBusy} onClick={answers.saveCopy} data-autofocus>
            {fileEditTexts.clash.copy}
          </Button>
          <Button variant="default" disabled={isBusy} onClick={answers.keepMine}>
            {isDeleted ? fileEditTexts.clash.create : fileEditTexts.clash.replace}
          </Button>
          {!isDeleted && (
            <Button variant="default" disabled={isBusy} onClick={answers.takeTheirs}>
              {fileEditTexts.clash.take}
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
      title={fileEditTexts.discard.title}
      action={fileEditTexts.discard.action}
      dismiss={fileEditTexts.discard.dismiss}
      onConfirm={onDiscard}
      onClose={onClose}
    >
      {fileEditTexts.discard.text}
    </Confirm>
  )
}
