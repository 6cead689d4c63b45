import { Progress } from '@mantine/core'
import { nameOf } from '../entries/entry.ts'
import { visibleName } from '../entries/visible-name.ts'
import classes from '../transfers/transfer-dock.module.css'
import { percent, uploadsTitle } from '../transfers/transfer-text.ts'
import type { UploadItem } from './upload-item.ts'
import { UploadSums } from './upload-totals.ts'

/** The progress of what was added at once, if there is more than one such batch. */
export function UploadBatches({ items }: { readonly items: readonly UploadItem[] }) {
  const batches = Map.groupBy(items, ({ batch }) => batch)
  if (batches.size < 2) return null
  return Array.from(batches, ([batch, of]) => <BatchRow key={batch} items={of} />)
}

function BatchRow({ items }: { readonly items: readonly UploadItem[] }) {
  const sums = new UploadSums()
  for (const item of items) sums.add(item)
  const totals = sums.read()
  const { bucket = '', folder = '' } = items[0] ?? {}
  const title = `${uploadsTitle(totals)} · ${visibleName(nameOf(folder) || bucket)}`
  const isDone = totals.counts.done === items.length
  return (
    <section className={classes.job} aria-label={title}>
      <span className={classes.rowName}>{title}</span>
      {!isDone && (
        <Progress
          size={4}
          value={percent(totals.sentBytes, totals.totalBytes)}
          color="var(--bucketry-accent)"
          aria-label={title}
        />
      )}
    </section>
  )
}
