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

export function EntryIcon({ entry }: { readonly entry: Entry }) {
  if (entry.kind === 'folder') return <IconFolderFilled className={classes.folder} size={20} />
  const kind = kindByName(entry.key)
  const Icon = kind === undefined ? IconFile : icons[kind]
  return <Icon className={classes.file} size={20} stroke={1.5} />
}
