import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { formatBytes, formatCount } from '../../../format/bytes.ts'
import { previewTexts } from '../../../texts/preview.ts'
import { FailureNotice } from '../../../ui/failure-notice.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { visibleName } from '../../entries/visible-name.ts'
import { readBytes } from '../../s3/bucket-client.ts'
import type { PreviewProps } from '../preview-props.ts'
import classes from '../text/text.module.css'
import { VirtualTable } from '../virtual-table.tsx'
import { NoZip, readZipDirectory, type ZipDirectory } from './zip-directory.ts'

/** The contents of a ZIP, read from its directory only. */
export function ZipPreview({ bucket, file, details, fallback }: PreviewProps) {
  const { size, etag, versionId } = details
  const { data, error } = useQuery({
    queryKey: ['zip', bucket, file.key, etag],
    queryFn: ({ signal }) =>
      readZipDirectory(
        (range) => readBytes({ bucket, key: file.key, etag, versionId }, range, signal),
        size,
      ),
    retry: (failures, reason) => failures < 2 && !(reason instanceof NoZip),
    gcTime: 0,
  })
  if (error instanceof NoZip) return fallback
  if (error !== null) return <FailureNotice title={previewTexts.failure} error={error} />
  if (data === undefined) return <Loading label={previewTexts.loading} />
  return <ZipTable directory={data} label={visibleName(file.name)} />
}

const head = [
  previewTexts.zip.name,
  previewTexts.details.size,
  previewTexts.zip.packed,
  previewTexts.details.modified,
]

interface ZipTableProps {
  readonly directory: ZipDirectory
  readonly label: string
}

function ZipTable({ directory: { entries, count }, label }: ZipTableProps) {
  const rows = useMemo(
    () =>
      entries.map(({ name, size, packedSize, modified }) =>
        name.endsWith('/')
          ? [visibleName(name), '', '', modified]
          : [visibleName(name), formatBytes(size), formatBytes(packedSize), modified],
      ),
    [entries],
  )
  const bytes = entries.reduce((sum, { size }) => sum + size, 0)
  const { zip } = previewTexts
  const all = zip.entries(count)
  const shown = entries.length < count ? zip.firstOf(formatCount(entries.length), all) : all
  return (
    <div className={classes.sheet}>
      <VirtualTable label={zip.contentsOf(label)} head={head} rows={rows} />
      <div className={classes.note}>{zip.total(shown, formatBytes(bytes))}</div>
    </div>
  )
}
