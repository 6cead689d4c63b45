// biome-ignore-all lint/a11y/useSemanticElements: rows out of view are not in the page, which a <table> cannot do
import { useWindowEvent } from '@mantine/hooks'
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
} from 'react'
import { type GridCommand, type GridShape, gridCommand } from '../browse/grid-command.ts'
import { entryOfPlace, takeNextFocus } from '../browse/next-focus.ts'
import type { Selection } from '../browse/selection.ts'
import { clipboard } from '../carry/clipboard.ts'
import { type Entry, entryId } from '../entries/entry.ts'
import frame from './entry-frame.module.css'
import type { RowActions } from './row-actions.ts'

/** The props of a view of the entries, as a list or as tiles. */
export interface EntryViewProps {
  readonly bucket: string
  readonly label: string
  readonly entries: readonly Entry[]
  /** Identifies the order and the filter. If it changes, the list scrolls to the top. */
  readonly arrangement: string
  /** Whether more entries exist than are loaded. */
  readonly isPartial: boolean
  readonly selection: Selection
  readonly activeIndex: number
  readonly actions: RowActions
  /** Called after keyboard navigation with the key that takes the focus. */
  readonly onFocusWanted: (key: string, isSelected: boolean) => void
  readonly onCommand: (command: GridCommand, shape: GridShape) => void
  /** Selects exactly these entries. */
  readonly onBand: (ids: readonly string[]) => void
}

interface EntryFrameProps {
  readonly view: EntryViewProps
  /** Includes the header; -1 if not all rows are known. */
  readonly rowCount: number
  readonly columnCount: number
  /** The id of the element of the active entry. */
  readonly activeId: string
  readonly shape: () => GridShape
  readonly className: string | undefined
  readonly children: ReactNode
}

/**
 * The grid around any number of entries. It is one tab stop; the arrow keys move its active entry, which stays
 * rendered so that screen readers find it.
 */
export function EntryFrame(props: EntryFrameProps) {
  const { view, rowCount, columnCount, activeId, shape, className, children } = props
  const grid = useWantedFocus(view)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return
    const now = shape()
    const command = gridCommand(event, now)
    if (command === undefined) return
    event.preventDefault()
    view.onCommand(command, now)
  }
  return (
    <div
      ref={grid}
      role="grid"
      aria-label={view.label}
      aria-rowcount={view.isPartial ? -1 : rowCount}
      aria-colcount={columnCount}
      aria-multiselectable
      tabIndex={0}
      className={`${frame.grid} ${className}`}
      data-files-grid
      {...(view.activeIndex >= 0 && { 'aria-activedescendant': activeId })}
      onKeyDown={onKeyDown}
      onContextMenu={(event) => {
        // The Menu key would also open the menu of the browser.
        if (event.target === event.currentTarget) event.preventDefault()
      }}
    >
      {children}
    </div>
  )
}

const nothing: ReadonlySet<string> = new Set()

/** The keys of this bucket that are cut and not yet pasted. */
export function useCutKeys(bucket: string): ReadonlySet<string> {
  const clip = useSyncExternalStore(clipboard.subscribe, clipboard.snapshot)
  return useMemo(() => {
    if (clip?.mode !== 'move' || clip.bucket !== bucket) return nothing
    return new Set(clip.entries.map(({ key }) => key))
  }, [clip, bucket])
}

/** Takes the focus after keyboard navigation, after Back, and when nothing else has it. */
function useWantedFocus({ entries, isPartial, onFocusWanted }: EntryViewProps) {
  const grid = useRef<HTMLDivElement>(null)
  /** How far the list was scrolled when it was left. It comes page by page, and is not that long at first. */
  const top = useRef<number>(undefined)
  // A user who scrolls in the meantime is not scrolled back.
  const leaveScroll = () => {
    top.current = undefined
  }
  useWindowEvent('wheel', leaveScroll)
  useWindowEvent('pointerdown', leaveScroll)
  useWindowEvent('keydown', leaveScroll)
  const [first] = entries
  const firstKey = first === undefined ? '' : entryId(first)
  useEffect(() => {
    const wanted = takeNextFocus()
    const isFree = document.activeElement === document.body
    if (wanted !== undefined || isFree) grid.current?.focus({ preventScroll: true })
    if (wanted === undefined) return
    const { key, isSelected } = wanted
    top.current = wanted.top
    if (key !== '' || wanted.top === undefined) {
      onFocusWanted(key === '' ? firstKey : key, isSelected)
    }
  }, [onFocusWanted, firstKey])
  useEffect(() => {
    const area = grid.current?.querySelector('[role="presentation"]')
    if (top.current === undefined || area == null) return
    area.scrollTop = top.current
    if (!isPartial || area.scrollTop >= top.current - 1) top.current = undefined
  })
  return grid
}

/** Scrolls when the keyboard position moves, and to the top when the order or filter changes. */
export function useScrolling(
  { selection, activeIndex, arrangement }: EntryViewProps,
  scroller: RefObject<HTMLDivElement | null>,
  scrollTo: (index: number) => void,
): void {
  const { active } = selection
  /**
   * A filter may hide the active row and show it again without a move of the keyboard position. After Back, the list
   * scrolls to where it was left.
   */
  const shown = useRef(active ?? entryOfPlace())
  useEffect(() => {
    if (activeIndex < 0 || active === shown.current) return
    shown.current = active
    scrollTo(activeIndex)
  }, [active, activeIndex, scrollTo])
  const arranged = useRef(arrangement)
  useEffect(() => {
    if (arranged.current === arrangement) return
    arranged.current = arrangement
    if (scroller.current !== null) scroller.current.scrollTop = 0
  }, [arrangement, scroller])
}
