// biome-ignore-all lint/a11y/useSemanticElements: rows out of view are not in the page, which a <table> cannot do
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and says which row is meant
import { useMediaQuery } from '@mantine/hooks'
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { type ReactNode, type RefObject, useCallback, useEffect, useId, useRef } from 'react'
import { entryId } from '../entries/entry.ts'
import frame from '../grid/entry-frame.module.css'
import { EntryFrame, type EntryViewProps, useCutKeys, useScrolling } from '../grid/entry-frame.tsx'
import { useRubberBand } from '../grid/use-rubber-band.ts'
import classes from './entry-grid.module.css'
import { EntryRow } from './entry-row.tsx'
import { withIndex } from './visible-range.ts'

/** Pixels: entry-grid.module.css. On narrow screens a row has two lines. */
const wide = { head: 36, row: 38, end: 0 }
/** Below the last row, the button for new entries covers nothing. */
const narrow = { head: 0, row: 56, end: 64 }

interface EntryGridProps extends EntryViewProps {
  readonly header: ReactNode
}

/** The entries as a list. */
export function EntryGrid(props: EntryGridProps) {
  const { bucket, entries, selection, activeIndex, actions, header } = props
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const heights = useMediaQuery('(max-width: 640px)') ? narrow : wide
  const virtualizer = useRows(props, scroller, heights)
  const band = useRubberBand(scroller, props.onBand)
  const cut = useCutKeys(props.bucket)
  return (
    <EntryFrame
      view={props}
      rowCount={entries.length + 1}
      columnCount={5}
      activeId={`${id}-${activeIndex}`}
      shape={() => ({ columns: 1, page: pageOf(virtualizer) })}
      className={classes.grid}
    >
      <div ref={scroller} className={frame.scroller} role="presentation" {...band}>
        {header}
        <div role="rowgroup" className={frame.space} style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, start, size }) => {
            const entry = entries[index]
            if (entry === undefined) return null
            return (
              <EntryRow
                key={entryId(entry)}
                id={`${id}-${index}`}
                bucket={bucket}
                entry={entry}
                index={index}
                isSelected={selection.selected.has(entryId(entry))}
                isActive={index === activeIndex}
                isCut={cut.has(entry.key)}
                actions={actions}
                style={{ height: size, transform: `translateY(${start - heights.head}px)` }}
              />
            )
          })}
        </div>
      </div>
    </EntryFrame>
  )
}

type Rows = Virtualizer<HTMLDivElement, Element>

function useRows(
  view: EntryGridProps,
  scroller: RefObject<HTMLDivElement | null>,
  { head, row, end }: typeof wide,
): Rows {
  const virtualizer = useVirtualizer<HTMLDivElement, Element>({
    count: view.entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => row,
    overscan: 8,
    // The header stays above the rows while they scroll.
    scrollMargin: head,
    scrollPaddingStart: head,
    paddingEnd: end,
    rangeExtractor: (range) => withIndex(range, view.activeIndex),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows must be measured again when their height changes
  useEffect(() => virtualizer.measure(), [row, virtualizer])
  const scrollTo = useCallback(
    (index: number) => virtualizer.scrollToIndex(index, { align: 'auto' }),
    [virtualizer],
  )
  useScrolling(view, scroller, scrollTo)
  return virtualizer
}

function pageOf({ scrollRect, options }: Rows): number {
  return Math.max(1, Math.floor((scrollRect?.height ?? 0) / options.estimateSize(0)) - 1)
}
