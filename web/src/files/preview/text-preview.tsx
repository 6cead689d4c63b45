import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { formatBytes } from '../../format/bytes.ts'
import { FailureNotice } from '../../ui/failure-notice.tsx'
import { Loading } from '../../ui/loading.tsx'
import type { FileEntry } from '../entries/entry.ts'
import { visibleName } from '../entries/visible-name.ts'
import { readStart } from '../s3/bucket-client.ts'
import classes from './object-view.module.css'
import { decodeText, previewBytes } from './text-decoding.ts'

interface TextPreviewProps {
  readonly bucket: string
  readonly file: FileEntry
  readonly size: number
  /** Shown if the file is not text. */
  readonly fallback: ReactNode
}

/** The beginning of a text. Tags in it are shown, not interpreted. */
export function TextPreview({ bucket, file, size, fallback }: TextPreviewProps) {
  const { data, error } = useQuery({
    queryKey: ['text', bucket, file.key, file.etag],
    queryFn: async ({ signal }) =>
      decodeText(await readStart({ bucket, key: file.key }, signal)) ?? null,
    gcTime: 0,
  })
  if (error !== null) return <FailureNotice title="The file could not be opened" error={error} />
  if (data === undefined) return <Loading label="Loading the preview" />
  if (data === null) return fallback
  return (
    <>
      <section
        className={classes.text}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it
        tabIndex={0}
        aria-label={`Text of ${visibleName(file.name)}`}
      >
        <pre>{data}</pre>
      </section>
      {size > previewBytes && (
        <div className={classes.note}>
          The first {formatBytes(previewBytes)} of {formatBytes(size)}
        </div>
      )}
    </>
  )
}
