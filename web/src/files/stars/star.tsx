import { IconStarFilled } from '@tabler/icons-react'
import { filesTexts } from '../../texts/files.ts'
import { useIsStarred } from './stars.ts'

interface StarProps {
  readonly bucket: string
  readonly objectKey: string
}

/** Beside the name of what is starred. */
export function Star({ bucket, objectKey }: StarProps) {
  if (!useIsStarred(bucket, objectKey)) return null
  return (
    <IconStarFilled
      size={14}
      color="var(--mantine-color-yellow-6)"
      role="img"
      aria-label={filesTexts.views.starred}
      style={{ flex: 'none' }}
    />
  )
}
