import {
  IconCalculator,
  IconClipboardText,
  IconCopyPlus,
  IconDownload,
  IconEdit,
  IconEye,
  IconFolderSymlink,
  IconFolders,
  IconInfoCircle,
  IconLink,
  IconPencil,
  IconStar,
  IconTags,
  IconTrash,
  IconTrashX,
} from '@tabler/icons-react'
import type { EntryAction } from './entry-action.ts'

const icons = {
  open: IconEye,
  details: IconInfoCircle,
  download: IconDownload,
  share: IconLink,
  star: IconStar,
  'copy-uri': IconClipboardText,
  rename: IconPencil,
  write: IconEdit,
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
