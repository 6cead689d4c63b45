import {
  IconFile,
  IconFileMusic,
  IconFileText,
  IconFileTypePdf,
  IconFileZip,
  IconFolderFilled,
  IconPhoto,
  IconVideo,
} from '@tabler/icons-react'
import type { Entry } from './entry.ts'
import classes from './entry-icon.module.css'
import { kindByName } from './preview-kind.ts'

const icons = {
  image: IconPhoto,
  video: IconVideo,
  audio: IconFileMusic,
  pdf: IconFileTypePdf,
  text: IconFileText,
  zip: IconFileZip,
} as const

interface EntryIconProps {
  readonly entry: Entry
  /** Pixels. */
  readonly size?: number
}

export function EntryIcon({ entry, size = 20 }: EntryIconProps) {
  if (entry.kind === 'folder') return <IconFolderFilled className={classes.folder} size={size} />
  const kind = kindByName(entry.key)
  const Icon = kind === undefined ? IconFile : icons[kind]
  return <Icon className={classes.file} size={size} stroke={size > 24 ? 1 : 1.5} />
}
