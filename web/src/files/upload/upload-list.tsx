import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef } from 'react'
import { transfersTexts } from '../../texts/transfers.ts'
import classes from '../transfers/transfer-dock.module.css'
import type { UploadItem, UploadState } from './upload-item.ts'
import { UploadRow } from './upload-row.tsx'

/** Pixels: transfer-dock.module.css. A row that shows a reason can be higher. */
const rowHeight = 56

/** Uploads that need attention come first. */
const ranks: Readonly<Record<UploadState, number>> = {
  failed: 0,
  running: 1,
  retrying: 1,
  paused: 1,
  waiting: 2,
  done: 3,
}

/** The virtualized list of uploads. */
export function UploadList({ items }: { readonly items: readonly UploadItem[] }) {
  const scroller = useRef<HTMLElement>(null)
  const sorted = useMemo(
    () => [...items].sort((a, b) => ranks[a.state] - ranks[b.state] || a.id - b.id),
    [items],
  )
  const virtualizer = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => sorted[index]?.id ?? index,
    overscan: 4,
  })
  // Each measurement makes the browser lay out the page, so rows of equal height are not measured.
  const hasReasons = items.some(({ problem }) => problem !== undefined)
  useEffect(() => {
    if (!hasReasons) virtualizer.measure()
  }, [hasReasons, virtualizer])
  return (
    <section
      ref={scroller}
      className={classes.scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it
      tabIndex={0}
      aria-label={transfersTexts.uploads}
    >
      <ul className={classes.rows} style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const item = sorted[index]
          if (item === undefined) return null
          return (
            <UploadRow
              key={item.id}
              item={item}
              index={index}
              measure={hasReasons ? virtualizer.measureElement : undefined}
              count={sorted.length}
              style={{ transform: `translateY(${start}px)` }}
            />
          )
        })}
      </ul>
    </section>
  )
}
