import {
  IconCopy,
  IconDownload,
  IconEye,
  IconFolderSymlink,
  IconInfoCircle,
  IconLink,
  IconPencil,
  IconTrash,
} from '@tabler/icons-react'
import type { EntryAction } from './entry-action.ts'

const icons = {
  open: IconEye,
  details: IconInfoCircle,
  download: IconDownload,
  share: IconLink,
  'copy-uri': IconCopy,
  rename: IconPencil,
  move: IconFolderSymlink,
  delete: IconTrash,
} as const

export function ActionGlyph({ action }: { readonly action: EntryAction }) {
  const Icon = icons[action]
  return <Icon size={18} stroke={1.6} />
}
