// biome-ignore-all lint/a11y/useSemanticElements: tiles out of view are not in the page, which a <table> cannot do
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and says which tile is meant
import { useMediaQuery } from '@mantine/hooks'
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect, useId, useRef } from 'react'
import { withIndex } from '../browse/visible-range.ts'
import { entryId } from '../entries/entry.ts'
import frame from '../grid/entry-frame.module.css'
import { EntryFrame, type EntryViewProps, useCutKeys, useScrolling } from '../grid/entry-frame.tsx'
import type { SortProps } from '../grid/sort-controls.tsx'
import { useRubberBand } from '../grid/use-rubber-band.ts'
import { EntryTile } from './entry-tile.tsx'
import { TileHeader } from './tile-header.tsx'
import { type TileShape, tileShape } from './tile-shape.ts'
import classes from './tiles.module.css'
import { useWidth } from './use-width.ts'

interface EntryTilesProps extends EntryViewProps {
  readonly header: SortProps
}

/** The entries as tiles with thumbnails, in as many columns as fit. */
export function EntryTiles(props: EntryTilesProps) {
  const { entries, selection, activeIndex, actions, bucket, header } = props
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const isNarrow = useMediaQuery('(max-width: 640px)') ?? false
  const shape = tileShape(useWidth(scroller), isNarrow)
  const { columns, padding } = shape
  const virtualizer = useTileRows(props, scroller, shape, isNarrow)
  const band = useRubberBand(scroller, props.onBand)
  const cut = useCutKeys(bucket)
  return (
    <>
      <TileHeader {...header} />
      <EntryFrame
        view={props}
        rowCount={Math.ceil(entries.length / columns)}
        columnCount={columns}
        activeId={`${id}-${activeIndex}`}
        shape={() => ({ columns, page: columns * rowsInSight(virtualizer) })}
        className={classes.grid}
      >
        <div ref={scroller} className={frame.scroller} role="presentation" {...band}>
          <div
            role="rowgroup"
            className={frame.space}
            style={{ height: virtualizer.getTotalSize() }}
          >
            {virtualizer.getVirtualItems().map(({ index: row, start, size }) => (
              <div
                key={row}
                role="row"
                aria-rowindex={row + 1}
                className={classes.row}
                style={{
                  height: size,
                  transform: `translateY(${start}px)`,
                  gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
                  paddingInline: padding,
                }}
              >
                {entries.slice(row * columns, (row + 1) * columns).map((entry, column) => (
                  <EntryTile
                    key={entryId(entry)}
                    id={`${id}-${row * columns + column}`}
                    bucket={bucket}
                    entry={entry}
                    column={column}
                    isSelected={selection.selected.has(entryId(entry))}
                    isActive={row * columns + column === activeIndex}
                    isCut={cut.has(entry.key)}
                    actions={actions}
                  />
                ))}
              </div>
            ))}
          </div>
        </div>
      </EntryFrame>
    </>
  )
}

type Rows = Virtualizer<HTMLDivElement, Element>

function useTileRows(
  view: EntryViewProps,
  scroller: RefObject<HTMLDivElement | null>,
  { columns, height, padding }: TileShape,
  isNarrow: boolean,
): Rows {
  const activeRow = view.activeIndex < 0 ? -1 : Math.floor(view.activeIndex / columns)
  const virtualizer = useVirtualizer<HTMLDivElement, Element>({
    count: Math.ceil(view.entries.length / columns),
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 2,
    paddingStart: padding,
    scrollPaddingStart: padding,
    // Below the last row, the button for new entries covers nothing.
    paddingEnd: isNarrow ? 64 : 0,
    rangeExtractor: (range) => withIndex(range, activeRow),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows must be measured again when their height changes
  useEffect(() => virtualizer.measure(), [height, virtualizer])
  const scrollTo = useCallback(
    (index: number) => virtualizer.scrollToIndex(Math.floor(index / columns), { align: 'auto' }),
    [virtualizer, columns],
  )
  useScrolling(view, scroller, scrollTo)
  return virtualizer
}

function rowsInSight({ scrollRect, options }: Rows): number {
  return Math.max(1, Math.floor((scrollRect?.height ?? 0) / options.estimateSize(0)))
}
