import { Button } from '@mantine/core'
import { useEffect } from 'react'
import { shownMessage } from '../../api/shown-message.ts'
import { formatBytes, formatCount, formatExactBytes } from '../../format/bytes.ts'
import { formatMoment } from '../../format/time.ts'
import { previewTexts } from '../../texts/preview.ts'
import { Age } from '../../ui/age.tsx'
import type { FolderEntry } from '../entries/entry.ts'
import { s3Uri } from '../entries/object-address.ts'
import { visibleName } from '../entries/visible-name.ts'
import { type FolderSizes, measure, stopMeasuring } from '../folder-sizes/folder-sizes.ts'
import type { FolderCount } from '../folder-sizes/size-text.ts'
import { copyable, type Detail, DetailList } from './detail-list.tsx'
import { DetailsDrawer } from './details-drawer.tsx'

interface FolderDetailsProps {
  readonly bucket: string
  readonly folder: FolderEntry
  readonly sizes: FolderSizes
  readonly onClose: () => void
}

/** Counts the folder when it is opened, unless it has been counted before. */
export function FolderDetails(props: FolderDetailsProps) {
  const { bucket, folder, sizes, onClose } = props
  const count = sizes.counts.get(folder.key)
  const isWaiting = sizes.waiting.has(folder.key)
  const isBusy = isWaiting || count?.isCounting === true
  // Only once: a count that is stopped stays stopped.
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends on what was known when the dialog was opened
  useEffect(() => {
    if (count === undefined) measure(bucket, [folder.key])
  }, [bucket, folder.key])
  const own: FolderSizes = {
    counts: new Map(count === undefined ? [] : [[folder.key, count]]),
    waiting: new Set(isWaiting ? [folder.key] : []),
  }
  return (
    <DetailsDrawer title={previewTexts.folder.title(visibleName(folder.name))} onClose={onClose}>
      <DetailList
        details={[
          copyable(previewTexts.details.address, s3Uri(bucket, folder.key)),
          ...countDetails(count),
        ]}
      />
      <Button
        variant="default"
        onClick={() => {
          if (isBusy) void stopMeasuring(bucket, own)
          else measure(bucket, [folder.key])
        }}
      >
        {isBusy ? previewTexts.folder.stop : previewTexts.folder.again}
      </Button>
    </DetailsDrawer>
  )
}

function countDetails(count: FolderCount | undefined): readonly Detail[] {
  const { objects = null, bytes = null, lastModified = null, countedAt = null } = count ?? {}
  const isKnown = objects !== null && bytes !== null && countedAt !== null
  return [
    [previewTexts.folder.objects, isKnown ? formatCount(objects) : previewTexts.folder.notCounted],
    [
      previewTexts.details.size,
      isKnown ? (
        <span key="size" data-tip={formatExactBytes(bytes)}>
          {formatBytes(bytes)}
        </span>
      ) : (
        '–'
      ),
    ],
    [
      previewTexts.folder.newest,
      lastModified === null ? '–' : formatMoment(Date.parse(lastModified)),
    ],
    [previewTexts.folder.counted, <CountedAt key="counted" count={count} />],
  ]
}

function CountedAt({ count }: { readonly count: FolderCount | undefined }) {
  if (count === undefined) return <span role="status">{previewTexts.folder.waiting}</span>
  const { isCounting, found, problem, countedAt } = count
  if (isCounting) {
    const amount = `${previewTexts.folder.amount(found.objects)}, ${formatBytes(found.bytes)}`
    return <span role="status">{previewTexts.folder.counting(amount)}</span>
  }
  if (problem !== null) return <span role="alert">{shownMessage(problem)}</span>
  return countedAt === null ? <span>{previewTexts.folder.never}</span> : <Age at={countedAt} />
}
