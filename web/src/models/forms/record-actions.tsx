import { useDisclosure } from '@mantine/hooks'
import { IconPencil } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { modelsTexts } from '../../texts/models.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { useRoutingAction } from '../routing-queries.ts'

/** The button that opens the dialog of a record, and whether it is open. */
export function useEditing(name: string) {
  const [isEdited, edit] = useDisclosure(false)
  const button = (
    <IconButton label={modelsTexts.editOf(name)} onClick={edit.open}>
      <IconPencil size={16} />
    </IconButton>
  )
  return { isEdited, close: edit.close, button }
}

interface DeleteRecordProps {
  readonly name: string
  readonly words: { readonly deleteAsk: string; readonly deleteAction: string }
  /** Below `/-/api/routing`. */
  readonly path: string
  readonly isAsked: boolean
  readonly onClose: () => void
  /** The consequences, after the name. */
  readonly children: ReactNode
}

/** Deletes a record after confirmation. */
export function DeleteRecord({ name, words, path, isAsked, onClose, children }: DeleteRecordProps) {
  const { mutate, isPending } = useRoutingAction(modelsTexts.deleteFailure(name))
  return (
    <Confirm
      isOpen={isAsked}
      title={words.deleteAsk}
      action={words.deleteAction}
      isBusy={isPending}
      onConfirm={() => mutate({ method: 'DELETE', path }, { onSettled: onClose })}
      onClose={onClose}
    >
      <b>{name}</b> {children}
    </Confirm>
  )
}
