// biome-ignore-all lint/a11y/useSemanticElements: rows out of view are not in the page, which a <table> cannot do
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and says which row is meant
import { IconDots } from '@tabler/icons-react'
import {
  type CSSProperties,
  type DragEvent,
  type MouseEvent,
  memo,
  type SyntheticEvent,
} from 'react'
import { Link } from 'wouter'
import { formatBytes, formatExactBytes } from '../../format/bytes.ts'
import { formatMoment } from '../../format/time.ts'
import type { dropTarget } from '../carry/drag.ts'
import type { Entry } from '../entries/entry.ts'
import { EntryIcon } from '../entries/entry-icon.tsx'
import { formatModified } from '../entries/modified-time.ts'
import { NameText } from '../entries/name-text.tsx'
import { visibleName } from '../entries/visible-name.ts'
import { FolderFigures } from '../folder-sizes/folder-figures.tsx'
import classes from './entry-grid.module.css'

export interface RowActions {
  readonly onPress: (entry: Entry, event: MouseEvent) => void
  readonly onCheck: (entry: Entry, withShift: boolean) => void
  readonly onOpen: (entry: Entry) => void
  readonly onMenu: (entry: Entry, at: { readonly x: number; readonly y: number }) => void
  readonly onDrag: (entry: Entry, event: DragEvent) => void
  /** The handlers of a folder that takes dragged rows. */
  readonly dropsOn: (entry: Entry) => ReturnType<typeof dropTarget>
  /** The address of a folder. */
  readonly hrefOf: (entry: Entry) => string
}

interface EntryRowProps {
  readonly entry: Entry
  readonly index: number
  readonly id: string
  readonly isSelected: boolean
  readonly isActive: boolean
  /** Cut, until it is pasted. */
  readonly isCut: boolean
  readonly style: CSSProperties
  readonly actions: RowActions
}

export const EntryRow = memo(function EntryRow(props: EntryRowProps) {
  const { entry, index, id, isSelected, isActive, isCut, style, actions } = props
  const name = visibleName(entry.name)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys for its active row
    <div
      role="row"
      id={id}
      // The header is the first row.
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      className={classes.row}
      data-active={isActive || undefined}
      data-cut={isCut || undefined}
      style={style}
      draggable
      onDragStart={(event) => actions.onDrag(entry, event)}
      {...(entry.kind === 'folder' && actions.dropsOn(entry))}
      onMouseDown={focusGrid}
      onFocus={focusGrid}
      onClick={(event) => actions.onPress(entry, event)}
      onDoubleClick={(event) => {
        if (!isControl(event.target)) actions.onOpen(entry)
      }}
      onContextMenu={(event) => {
        event.preventDefault()
        actions.onMenu(entry, { x: event.clientX, y: event.clientY })
      }}
    >
      <div role="gridcell" className={classes.check}>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys for its active row */}
        <label onClick={(event) => event.stopPropagation()}>
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select ${name}`}
            checked={isSelected}
            onClick={(event) => actions.onCheck(entry, event.shiftKey)}
            // A click event reports the shift key, a change event does not.
            onChange={() => undefined}
          />
        </label>
      </div>
      <div role="gridcell" className={classes.name}>
        <EntryIcon entry={entry} />
        <EntryName entry={entry} actions={actions} />
      </div>
      <FileFigures entry={entry} />
      <div role="gridcell" className={classes.more}>
        <button
          type="button"
          tabIndex={-1}
          className={classes.moreButton}
          aria-label={`Actions for ${name}`}
          aria-haspopup="menu"
          onClick={(event) => {
            event.stopPropagation()
            const { left, bottom } = event.currentTarget.getBoundingClientRect()
            actions.onMenu(entry, { x: left, y: bottom })
          }}
        >
          <IconDots size={18} />
        </button>
      </div>
    </div>
  )
})

function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('label, button, a') !== null
}

/** A press in a row leaves the focus on the grid. */
function focusGrid(event: SyntheticEvent): void {
  event.currentTarget.closest<HTMLElement>('[data-files-grid]')?.focus({ preventScroll: true })
}

function EntryName({ entry, actions }: { readonly entry: Entry; readonly actions: RowActions }) {
  const title = visibleName(entry.name)
  if (entry.kind === 'folder') {
    return (
      <Link
        href={actions.hrefOf(entry)}
        className={classes.open ?? ''}
        tabIndex={-1}
        draggable={false}
        title={title}
        onClick={(event) => event.stopPropagation()}
      >
        <NameText name={entry.name} />
      </Link>
    )
  }
  return (
    <button
      type="button"
      className={classes.open}
      tabIndex={-1}
      title={title}
      onClick={(event) => {
        event.stopPropagation()
        actions.onOpen(entry)
      }}
    >
      <NameText name={entry.name} />
    </button>
  )
}

function FileFigures({ entry }: { readonly entry: Entry }) {
  if (entry.kind === 'folder') return <FolderFigures folder={entry} classes={classes} />
  const { size, modifiedAtMs } = entry
  return (
    <>
      <div role="gridcell" className={classes.size} title={formatExactBytes(size)}>
        {formatBytes(size)}
      </div>
      <div role="gridcell" className={classes.modified} title={formatMoment(modifiedAtMs)}>
        {formatModified(modifiedAtMs)}
      </div>
    </>
  )
}
