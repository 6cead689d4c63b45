// biome-ignore-all lint/a11y/useSemanticElements: rows out of view are not in the page, which a <table> cannot do
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and says which row is meant
import { useContext } from 'react'
import { formatMoment } from '../../format/time.ts'
import { filesTexts } from '../../texts/files.ts'
import type { FolderEntry } from '../entries/entry.ts'
import { ModifiedTimeText } from '../entries/modified-time-text.tsx'
import { FolderSizesContext } from './folder-sizes.ts'
import { sizeText } from './size-text.ts'

interface FolderFiguresProps {
  readonly folder: FolderEntry
  readonly classes: Readonly<Record<string, string>>
}

/** The size and the newest date of a counted folder, in its row. */
export function FolderFigures({ folder, classes }: FolderFiguresProps) {
  const { counts, waiting } = useContext(FolderSizesContext)
  // The sizes are those of the open folder, not of search results.
  const count = folder.bucket === undefined ? counts.get(folder.key) : undefined
  const { text, title } = sizeText(count, waiting.has(folder.key))
  const newest = count?.lastModified ?? null
  return (
    <>
      <div
        role="gridcell"
        className={classes.size}
        {...(text === '' ? { 'aria-label': filesTexts.folder } : { 'data-tip': title })}
      >
        {text}
      </div>
      <div
        role="gridcell"
        className={classes.modified}
        {...(newest === null
          ? { 'aria-label': filesTexts.noDate }
          : { 'data-tip': filesTexts.newestObject(formatMoment(Date.parse(newest))) })}
      >
        {newest !== null && <ModifiedTimeText atMs={Date.parse(newest)} />}
      </div>
    </>
  )
}
