import {
  IconFile,
  IconFileCode,
  IconFileMusic,
  IconFileText,
  IconFileTypePdf,
  IconFileWord,
  IconFileZip,
  IconFolderFilled,
  IconPhoto,
  IconPresentation,
  IconTable,
  IconVideo,
} from '@tabler/icons-react'
import { fileKind } from '../../../../src/platform/text/file-kind.ts'
import type { Entry } from './entry.ts'
import classes from './entry-icon.module.css'
import './kind-colors.css'

const icons = {
  image: IconPhoto,
  video: IconVideo,
  audio: IconFileMusic,
  pdf: IconFileTypePdf,
  text: IconFileText,
  document: IconFileWord,
  sheet: IconTable,
  slides: IconPresentation,
  archive: IconFileZip,
  code: IconFileCode,
} as const

interface EntryIconProps {
  readonly entry: Entry
  /** Pixels. */
  readonly size?: number
}

/** Each kind of file has its own icon and colour. */
export function EntryIcon({ entry, size = 20 }: EntryIconProps) {
  const common = { className: classes.icon, size }
  if (entry.kind === 'folder') return <IconFolderFilled data-file-kind="folder" {...common} />
  const kind = fileKind(entry.key)
  const Icon = kind === undefined ? IconFile : icons[kind]
  return <Icon data-file-kind={kind ?? ''} {...common} stroke={size > 24 ? 1 : 1.6} />
}
