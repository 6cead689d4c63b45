// biome-ignore-all lint/a11y/useSemanticElements: rows out of view are not in the page, which a <table> cannot do
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and says which row is meant
import { type CSSProperties, memo } from 'react'
import { formatBytes, formatExactBytes } from '../../format/bytes.ts'
import { formatMoment } from '../../format/time.ts'
import { filesTexts } from '../../texts/files.ts'
import { type Entry, modifiedOf } from '../entries/entry.ts'
import { EntryIcon } from '../entries/entry-icon.tsx'
import { ModifiedTimeText } from '../entries/modified-time-text.tsx'
import { FolderFigures } from '../folder-sizes/folder-figures.tsx'
import {
  EntryCheck,
  EntryMenuButton,
  EntryName,
  EntryPlace,
  type EntryState,
  entryProps,
} from '../grid/entry-controls.tsx'
import type { RowActions } from '../grid/row-actions.ts'
import { Star } from '../stars/star.tsx'
import { Thumbnail } from '../thumbnails/thumbnail.tsx'
import { thumbnailKind } from '../thumbnails/thumbnail-kind.ts'
import classes from './entry-grid.module.css'

interface EntryRowProps extends EntryState {
  readonly bucket: string
  readonly entry: Entry
  readonly index: number
  readonly id: string
  readonly style: CSSProperties
  readonly actions: RowActions
}

export const EntryRow = memo(function EntryRow(props: EntryRowProps) {
  const { bucket, entry, index, id, isSelected, style, actions } = props
  const parts = { entry, actions }
  return (
    <div
      role="row"
      id={id}
      // The header is the first row.
      aria-rowindex={index + 2}
      className={classes.row}
      style={style}
      {...entryProps(entry, actions, props)}
    >
      <div role="gridcell" className={classes.check}>
        <EntryCheck {...parts} isSelected={isSelected} />
      </div>
      <div role="gridcell" className={classes.name}>
        <RowPicture bucket={entry.bucket ?? bucket} entry={entry} />
        <EntryName {...parts} className={classes.open ?? ''} />
        <Star bucket={entry.bucket ?? bucket} objectKey={entry.key} />
        <EntryPlace entry={entry} className={classes.place ?? ''} />
      </div>
      <FileFigures entry={entry} />
      <div role="gridcell" className={classes.more}>
        <EntryMenuButton {...parts} />
      </div>
    </div>
  )
})

/** The thumbnail, if the server has one: for a list, no file is downloaded. */
function RowPicture({ bucket, entry }: Pick<EntryRowProps, 'bucket' | 'entry'>) {
  const icon = <EntryIcon entry={entry} />
  const kind = entry.kind === 'file' ? thumbnailKind(entry) : undefined
  if (entry.kind === 'folder' || kind === undefined) return icon
  return (
    <div className={classes.picture}>
      <Thumbnail key={entry.etag} bucket={bucket} file={entry} kind={kind} icon={icon} isSmall />
    </div>
  )
}

function FileFigures({ entry }: { readonly entry: Entry }) {
  if (entry.kind === 'folder') return <FolderFigures folder={entry} classes={classes} />
  const { size, modifiedAtMs, fileTimeMs } = entry
  const stored = formatMoment(modifiedAtMs)
  return (
    <>
      <div role="gridcell" className={classes.size} data-tip={formatExactBytes(size)}>
        {formatBytes(size)}
      </div>
      <div
        role="gridcell"
        className={classes.modified}
        data-tip={
          fileTimeMs === undefined
            ? stored
            : filesTexts.uploadedAt(formatMoment(fileTimeMs), stored)
        }
      >
        <ModifiedTimeText atMs={modifiedOf(entry)} />
      </div>
    </>
  )
}
