// biome-ignore-all lint/a11y/useSemanticElements: rows out of view are not in the page, which a <table> cannot do
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and says which row is meant
import { useMediaQuery } from '@mantine/hooks'
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useMemo,
  useRef,
  useSyncExternalStore,
} from 'react'
import { clipboard } from '../carry/clipboard.ts'
import type { Entry } from '../entries/entry.ts'
import classes from './entry-grid.module.css'
import { EntryRow, type RowActions } from './entry-row.tsx'
import { type GridCommand, gridCommand } from './grid-command.ts'
import { takeNextFocus } from './next-focus.ts'
import type { Selection } from './selection.ts'
import { withIndex } from './visible-range.ts'

/** Pixels: entry-grid.module.css. On narrow screens a row has two lines. */
const wide = { head: 36, row: 38 }
const narrow = { head: 44, row: 56 }

interface EntryGridProps {
  readonly bucket: string
  readonly label: string
  readonly entries: readonly Entry[]
  /** Names the order and the filter. If it changes, the list starts at its beginning. */
  readonly arrangement: string
  /** Whether more entries exist than are loaded. */
  readonly isPartial: boolean
  readonly selection: Selection
  readonly activeIndex: number
  readonly actions: RowActions
  readonly header: ReactNode
  /** Keyboard navigation led here and wants the focus at this key. */
  readonly onFocusWanted: (key: string, isSelected: boolean) => void
  /** @param page the number of visible rows. */
  readonly onCommand: (command: GridCommand, page: number) => void
}

/**
 * A virtualized list of any length. It is one tab stop; the arrow keys move its active row, which
 * stays rendered so that screen readers find it.
 */
export function EntryGrid(props: EntryGridProps) {
  const { label, entries, isPartial, selection, activeIndex, actions, header } = props
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const heights = useMediaQuery('(max-width: 640px)') ? narrow : wide
  const virtualizer = useRows(props, scroller, heights)
  const active = entries[activeIndex]
  const cut = useCutKeys(props.bucket)
  const grid = useWantedFocus(props)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return
    const command = gridCommand(event)
    if (command === undefined) return
    event.preventDefault()
    props.onCommand(command, pageOf(virtualizer))
  }
  return (
    <div
      ref={grid}
      role="grid"
      aria-label={label}
      aria-rowcount={isPartial ? -1 : entries.length + 1}
      aria-colcount={5}
      aria-multiselectable
      tabIndex={0}
      className={classes.grid}
      data-files-grid
      {...(active !== undefined && { 'aria-activedescendant': `${id}-${activeIndex}` })}
      onKeyDown={onKeyDown}
      onContextMenu={(event) => {
        // The Menu key would also open the menu of the browser.
        if (event.target === event.currentTarget) event.preventDefault()
      }}
    >
      <div ref={scroller} className={classes.scroller} role="presentation">
        {header}
        <div
          role="rowgroup"
          className={classes.space}
          style={{ height: virtualizer.getTotalSize() }}
        >
          {virtualizer.getVirtualItems().map(({ index, start, size }) => {
            const entry = entries[index]
            if (entry === undefined) return null
            return (
              <EntryRow
                key={entry.key}
                id={`${id}-${index}`}
                entry={entry}
                index={index}
                isSelected={selection.selected.has(entry.key)}
                isActive={index === activeIndex}
                isCut={cut.has(entry.key)}
                actions={actions}
                style={{ height: size, transform: `translateY(${start - heights.head}px)` }}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

const nothing: ReadonlySet<string> = new Set()

/** The keys of this bucket that were cut and not pasted yet. */
function useCutKeys(bucket: string): ReadonlySet<string> {
  const clip = useSyncExternalStore(clipboard.subscribe, clipboard.snapshot)
  return useMemo(() => {
    if (clip?.mode !== 'move' || clip.bucket !== bucket) return nothing
    return new Set(clip.entries.map(({ key }) => key))
  }, [clip, bucket])
}

/** Takes the focus after keyboard navigation. */
function useWantedFocus({ entries, onFocusWanted }: EntryGridProps) {
  const grid = useRef<HTMLDivElement>(null)
  const firstKey = entries[0]?.key ?? ''
  useEffect(() => {
    const wanted = takeNextFocus()
    if (wanted === undefined) return
    grid.current?.focus({ preventScroll: true })
    onFocusWanted(wanted.key === '' ? firstKey : wanted.key, wanted.isSelected)
  }, [onFocusWanted, firstKey])
  return grid
}

type Rows = Virtualizer<HTMLDivElement, Element>

function useRows(
  { entries, arrangement, selection, activeIndex }: EntryGridProps,
  scroller: React.RefObject<HTMLDivElement | null>,
  { head, row }: typeof wide,
): Rows {
  const virtualizer = useVirtualizer<HTMLDivElement, Element>({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => row,
    overscan: 8,
    // The header stays above the rows while they scroll.
    scrollMargin: head,
    scrollPaddingStart: head,
    rangeExtractor: (range) => withIndex(range, activeIndex),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows must be measured again when their height changes
  useEffect(() => virtualizer.measure(), [row, virtualizer])
  const { active } = selection
  /** A filter may hide the active row and show it again: the keyboard has not moved then. */
  const shown = useRef(active)
  useEffect(() => {
    if (activeIndex < 0 || active === shown.current) return
    shown.current = active
    virtualizer.scrollToIndex(activeIndex, { align: 'auto' })
  }, [active, activeIndex, virtualizer])
  useBeginning(arrangement, scroller)
  return virtualizer
}

/** Scrolls to the beginning after another order or filter. */
function useBeginning(arrangement: string, scroller: React.RefObject<HTMLDivElement | null>): void {
  const shown = useRef(arrangement)
  useEffect(() => {
    if (shown.current === arrangement) return
    shown.current = arrangement
    if (scroller.current !== null) scroller.current.scrollTop = 0
  }, [arrangement, scroller])
}

function pageOf({ scrollRect, options }: Rows): number {
  return Math.max(1, Math.floor((scrollRect?.height ?? 0) / options.estimateSize(0)) - 1)
}
