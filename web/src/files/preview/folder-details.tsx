import { Button } from '@mantine/core'
import { useEffect } from 'react'
import { formatAmount, formatBytes, formatCount, formatExactBytes } from '../../format/bytes.ts'
import { formatMoment } from '../../format/time.ts'
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
    <DetailsDrawer title={`Folder “${visibleName(folder.name)}”`} onClose={onClose}>
      <DetailList
        details={[copyable('S3 address', s3Uri(bucket, folder.key)), ...countDetails(count)]}
      />
      <Button
        variant="default"
        onClick={() => {
          if (isBusy) void stopMeasuring(bucket, own)
          else measure(bucket, [folder.key])
        }}
      >
        {isBusy ? 'Stop counting' : 'Count again'}
      </Button>
    </DetailsDrawer>
  )
}

function countDetails(count: FolderCount | undefined): readonly Detail[] {
  const { objects = null, bytes = null, lastModified = null, countedAt = null } = count ?? {}
  const isKnown = objects !== null && bytes !== null && countedAt !== null
  return [
    ['Objects', isKnown ? formatCount(objects) : 'not counted yet'],
    [
      'Size',
      isKnown ? (
        <span key="size" title={formatExactBytes(bytes)}>
          {formatBytes(bytes)}
        </span>
      ) : (
        '–'
      ),
    ],
    ['Newest', lastModified === null ? '–' : formatMoment(Date.parse(lastModified))],
    ['Counted', <CountedAt key="counted" count={count} />],
  ]
}

function CountedAt({ count }: { readonly count: FolderCount | undefined }) {
  if (count === undefined) return <span role="status">waiting…</span>
  const { isCounting, found, problem, countedAt } = count
  if (isCounting) {
    const amount = `${formatAmount(found.objects, 'object')}, ${formatBytes(found.bytes)}`
    return <span role="status">counting: {amount} so far</span>
  }
  if (problem !== null) return <span role="alert">{problem}</span>
  return countedAt === null ? <span>never</span> : <Age at={countedAt} />
}
