import { IconDots } from '@tabler/icons-react'
import type { DragEvent, MouseEvent, SyntheticEvent } from 'react'
import { Link } from 'wouter'
import { filesTexts } from '../../texts/files.ts'
import { focusNextList } from '../browse/next-focus.ts'
import { type Entry, entryId, parentOf } from '../entries/entry.ts'
import { NameText } from '../entries/name-text.tsx'
import { visibleName } from '../entries/visible-name.ts'
import { locationPath } from '../files-location.ts'
import classes from './entry-frame.module.css'
import type { RowActions } from './row-actions.ts'

/** The handlers and state attributes of the element of an entry. */
export function entryProps(
  entry: Entry,
  actions: RowActions,
  { isSelected, isActive, isCut }: EntryState,
) {
  return {
    'data-entry': entryId(entry),
    'aria-selected': isSelected,
    'data-active': isActive || undefined,
    'data-cut': isCut || undefined,
    draggable: true,
    onDragStart: (event: DragEvent) => actions.onDrag(entry, event),
    ...(entry.kind === 'folder' && actions.dropsOn(entry)),
    onMouseDown: focusGrid,
    onFocus: focusGrid,
    onClick: (event: MouseEvent) => actions.onPress(entry, event),
    onDoubleClick: (event: MouseEvent) => {
      if (!isControl(event.target)) actions.onOpen(entry)
    },
    onContextMenu: (event: MouseEvent) => {
      event.preventDefault()
      actions.onMenu(entry, { x: event.clientX, y: event.clientY })
    },
  }
}

export interface EntryState {
  readonly isSelected: boolean
  readonly isActive: boolean
  /** Whether the entry is cut and not yet pasted. */
  readonly isCut: boolean
}

function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('label, button, a') !== null
}

/** Keeps the focus on the grid when a row is pressed. */
function focusGrid(event: SyntheticEvent): void {
  event.currentTarget.closest<HTMLElement>('[data-files-grid]')?.focus({ preventScroll: true })
}

interface ControlProps {
  readonly entry: Entry
  readonly actions: RowActions
}

export function EntryCheck({
  entry,
  actions,
  isSelected,
}: ControlProps & { readonly isSelected: boolean }) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys for its active row
    <label onClick={(event) => event.stopPropagation()}>
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={filesTexts.select(visibleName(entry.name))}
        checked={isSelected}
        onClick={(event) => actions.onCheck(entry, event.shiftKey)}
        // A click event reports the shift key, a change event does not.
        onChange={() => undefined}
      />
    </label>
  )
}

/** The name of an entry. A press opens the entry. */
export function EntryName({
  entry,
  actions,
  className,
}: ControlProps & { readonly className: string }) {
  const title = visibleName(entry.name)
  if (entry.kind === 'folder') {
    return (
      <Link
        href={actions.hrefOf(entry)}
        className={className}
        tabIndex={-1}
        draggable={false}
        data-tip={title}
        data-tip-cut
        onClick={(event) => {
          event.stopPropagation()
          actions.onActivate(entry)
        }}
      >
        <NameText name={entry.name} />
      </Link>
    )
  }
  return (
    <button
      type="button"
      className={className}
      tabIndex={-1}
      data-tip={title}
      data-tip-cut
      onClick={(event) => {
        event.stopPropagation()
        actions.onActivate(entry)
        actions.onOpen(entry)
      }}
    >
      <NameText name={entry.name} />
    </button>
  )
}

/** The folder of a search result, as a link. */
export function EntryPlace({
  entry,
  className,
}: Omit<ControlProps, 'actions'> & { readonly className: string }) {
  const { bucket, key } = entry
  if (bucket === undefined) return null
  const prefix = parentOf(key)
  return (
    <Link
      href={locationPath({ bucket, prefix, filter: '' })}
      className={className}
      tabIndex={-1}
      draggable={false}
      onClick={(event) => {
        event.stopPropagation()
        focusNextList(key, true)
      }}
    >
      <NameText name={`${bucket}/${prefix}`} />
    </Link>
  )
}

export function EntryMenuButton({ entry, actions }: ControlProps) {
  return (
    <button
      type="button"
      tabIndex={-1}
      className={classes.moreButton}
      aria-label={filesTexts.actionsFor(visibleName(entry.name))}
      aria-haspopup="menu"
      onClick={(event) => {
        event.stopPropagation()
        const { left, bottom, width } = event.currentTarget.getBoundingClientRect()
        actions.onMenu(entry, { x: left, y: bottom, width })
      }}
    >
      <IconDots size={18} />
    </button>
  )
}
