import { Alert } from '@mantine/core'
import { useShares } from '../../shares/shares-queries.ts'
import { fileChangeTexts } from '../../texts/file-change.ts'
import type { Entry } from '../entries/entry.ts'
import { linksTo } from './links-to.ts'

interface LinkNoteProps {
  readonly bucket: string
  readonly entries: readonly Entry[]
}

/** Links do not follow what gets another path, so their visitors should get new ones. */
export function LinkNote({ bucket, entries }: LinkNoteProps) {
  const { views, drops } = linksTo(useShares().data?.shares ?? [], bucket, entries)
  if (views + drops === 0) return null
  return (
    <Alert color="yellow" variant="light">
      {views > 0 && <div>{fileChangeTexts.links.views(views)}</div>}
      {drops > 0 && <div>{fileChangeTexts.links.drops(drops)}</div>}
    </Alert>
  )
}
