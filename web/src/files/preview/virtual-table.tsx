// biome-ignore-all lint/a11y/useSemanticElements: rows out of view are not in the page, which a <table> cannot do
// biome-ignore-all lint/a11y/useFocusableInteractive: cells are read, not used
import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'
import classes from './virtual-table.module.css'

/** Pixels: virtual-table.module.css. */
const rowHeight = 30

/** The number of rows that decide the width of a column. */
const measured = 200

interface VirtualTableProps {
  readonly label: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** A table of texts with any number of rows. Only the rows in view are in the page. */
export function VirtualTable({ label, head, rows }: VirtualTableProps) {
  const scroller = useRef<HTMLElement>(null)
  const columns = useMemo(() => columnWidths(head, rows), [head, rows])
  const { getVirtualItems, getTotalSize } = useVirtualizer<HTMLElement, Element>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    scrollMargin: rowHeight,
  })
  const cells = (row: readonly string[], role: 'cell' | 'columnheader') =>
    columns.map((_, column) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name
      <div key={column} role={role} className={classes.cell} data-tip={row[column]} data-tip-cut>
        {row[column]}
      </div>
    ))
  const style = { gridTemplateColumns: columns.map((width) => `${width}ch`).join(' ') }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it
    <section ref={scroller} className={classes.scroller} tabIndex={0} aria-label={label}>
      <div
        role="table"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        className={classes.table}
      >
        <div role="rowgroup" className={classes.head}>
          <div role="row" aria-rowindex={1} className={classes.row} style={style}>
            {cells(head, 'columnheader')}
          </div>
        </div>
        <div role="rowgroup" className={classes.space} style={{ height: getTotalSize() }}>
          {getVirtualItems().map(({ index, start }) => (
            <div
              key={index}
              role="row"
              aria-rowindex={index + 2}
              className={classes.row}
              style={{ ...style, transform: `translateY(${start - rowHeight}px)` }}
            >
              {cells(rows[index] ?? [], 'cell')}
            </div>
          ))}
        </div>
      </div>
    </section>
  )
}

/** In characters. */
function columnWidths(head: VirtualTableProps['head'], rows: VirtualTableProps['rows']): number[] {
  const widths: number[] = []
  for (const row of [head, ...rows.slice(0, measured)]) {
    for (const [column, { length }] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 6, Math.min(length, 48) + 3)
    }
  }
  return widths
}
