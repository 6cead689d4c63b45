import {
  IconCalculator,
  IconClipboardText,
  IconCopyPlus,
  IconDownload,
  IconEye,
  IconFolderSymlink,
  IconFolders,
  IconInfoCircle,
  IconLink,
  IconPencil,
  IconTags,
  IconTrash,
  IconTrashX,
} from '@tabler/icons-react'
import { IconButton } from '../../ui/icon-button.tsx'
import { actionLabels, type EntryAction } from './entry-action.ts'

const icons = {
  open: IconEye,
  details: IconInfoCircle,
  download: IconDownload,
  share: IconLink,
  'copy-uri': IconClipboardText,
  rename: IconPencil,
  edit: IconTags,
  measure: IconCalculator,
  move: IconFolderSymlink,
  copy: IconFolders,
  duplicate: IconCopyPlus,
  delete: IconTrash,
  erase: IconTrashX,
} as const

export function ActionGlyph({ action }: { readonly action: EntryAction }) {
  const Icon = icons[action]
  return <Icon size={18} stroke={1.6} />
}

interface ActionButtonProps {
  readonly action: EntryAction
  /** Why the action is not possible. */
  readonly obstacle?: string | undefined
  readonly onClick: () => void
}

/** An action in a toolbar. */
export function ActionButton({ action, obstacle, onClick }: ActionButtonProps) {
  const label = actionLabels[action].replace('…', '')
  const isDelete = action === 'delete'
  return (
    <IconButton
      label={label}
      title={obstacle ?? label}
      size={36}
      variant={isDelete ? 'light' : 'default'}
      color={isDelete ? 'red' : 'gray'}
      {...(obstacle !== undefined && { 'data-disabled': true })}
      onClick={onClick}
    >
      <ActionGlyph action={action} />
    </IconButton>
  )
}
