// biome-ignore-all lint/a11y/useSemanticElements: tiles out of view are not in the page, which a <table> cannot do
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and says which tile is meant
import { memo, use } from 'react'
import { formatBytes } from '../../format/bytes.ts'
import type { Entry } from '../entries/entry.ts'
import { EntryIcon } from '../entries/entry-icon.tsx'
import { FolderSizesContext } from '../folder-sizes/folder-sizes.ts'
import { sizeText } from '../folder-sizes/size-text.ts'
import {
  EntryCheck,
  EntryMenuButton,
  EntryName,
  EntryPlace,
  type EntryState,
  entryProps,
} from '../grid/entry-controls.tsx'
import type { RowActions } from '../grid/row-actions.ts'
import { Thumbnail } from '../thumbnails/thumbnail.tsx'
import { thumbnailKind } from '../thumbnails/thumbnail-kind.ts'
import classes from './tiles.module.css'

interface EntryTileProps extends EntryState {
  readonly bucket: string
  readonly entry: Entry
  readonly column: number
  readonly id: string
  readonly actions: RowActions
}

export const EntryTile = memo(function EntryTile(props: EntryTileProps) {
  const { bucket, entry, column, id, isSelected, actions } = props
  const parts = { entry, actions }
  const icon = <EntryIcon entry={entry} size={56} />
  const kind = entry.kind === 'file' ? thumbnailKind(entry) : undefined
  return (
    <div
      role="gridcell"
      id={id}
      aria-colindex={column + 1}
      className={classes.tile}
      {...entryProps(entry, actions, props)}
    >
      <div className={classes.picture}>
        {entry.kind === 'file' && kind !== undefined ? (
          <Thumbnail
            key={entry.etag}
            bucket={entry.bucket ?? bucket}
            file={entry}
            kind={kind}
            icon={icon}
          />
        ) : (
          icon
        )}
      </div>
      <div className={classes.check}>
        <EntryCheck {...parts} isSelected={isSelected} />
      </div>
      <div className={classes.caption}>
        <EntryName {...parts} className={classes.open ?? ''} />
        <div className={classes.size}>
          {entry.bucket === undefined ? (
            <SizeOf entry={entry} />
          ) : (
            <EntryPlace entry={entry} className={classes.place ?? ''} />
          )}
        </div>
      </div>
      <EntryMenuButton {...parts} />
    </div>
  )
})

function SizeOf({ entry }: { readonly entry: Entry }) {
  const { counts, waiting } = use(FolderSizesContext)
  if (entry.kind === 'file') return formatBytes(entry.size)
  return sizeText(counts.get(entry.key), waiting.has(entry.key)).text
}
