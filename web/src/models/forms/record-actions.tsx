import { useDisclosure, useFocusReturn } from '@mantine/hooks'
import { IconPencil } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Confirm } from '../../ui/confirm.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { useRoutingAction } from '../routing-queries.ts'

/** The button that opens the form of a record, and whether it is open. */
export function useEditing(name: string) {
  const [isEdited, edit] = useDisclosure(false)
  useFocusReturn({ opened: isEdited })
  const button = (
    <IconButton label={`Edit ${name}`} aria-expanded={isEdited} onClick={edit.toggle}>
      <IconPencil size={16} />
    </IconButton>
  )
  return { isEdited, close: edit.close, button }
}

interface DeleteRecordProps {
  readonly name: string
  /** "combo". */
  readonly noun: string
  /** Below `/-/api/routing`. */
  readonly path: string
  readonly isAsked: boolean
  readonly onClose: () => void
  /** The consequences, after the name. */
  readonly children: ReactNode
}

/** Deletes a record after confirmation. */
export function DeleteRecord({ name, noun, path, isAsked, onClose, children }: DeleteRecordProps) {
  const { mutate, isPending } = useRoutingAction(`${name} could not be deleted`)
  return (
    <Confirm
      isOpen={isAsked}
      title={`Delete this ${noun}?`}
      action={`Delete the ${noun}`}
      isBusy={isPending}
      onConfirm={() => mutate({ method: 'DELETE', path }, { onSettled: onClose })}
      onClose={onClose}
    >
      <b>{name}</b> {children}
    </Confirm>
  )
}
