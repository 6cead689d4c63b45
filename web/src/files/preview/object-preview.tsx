import { Button } from '@mantine/core'
import { IconEyeOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatBytes } from '../../format/bytes.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FailureNotice } from '../../ui/failure-notice.tsx'
import { Loading } from '../../ui/loading.tsx'
import type { FileEntry } from '../entries/entry.ts'
import { type PreviewKind, previewKind, previewType } from '../entries/preview-kind.ts'
import { visibleName } from '../entries/visible-name.ts'
import { objectUrl, readStart } from '../s3/bucket-client.ts'
import { download } from '../s3/download-files.ts'
import type { ObjectDetails } from '../s3/object-details.ts'
import type { DetailsQuery } from '../s3/use-object-details.ts'
import classes from './object-view.module.css'
import { TextPreview } from './text-preview.tsx'

interface ObjectPreviewProps {
  readonly bucket: string
  readonly file: FileEntry
  readonly details: DetailsQuery
}

/** A video requests its last bytes with the same URL, even after a long pause. */
const mediaSeconds = 6 * 60 * 60

/**
 * The content of a file, as far as a browser can show it. Objects share this app's origin: they are
 * only used where they cannot run scripts, and never inserted into the page as HTML.
 */
export function ObjectPreview({ bucket, file, details }: ObjectPreviewProps) {
  const { data, error, refetch } = details
  if (error !== null) {
    const title = 'The file could not be opened'
    return <FailureNotice title={title} error={error} onRetry={() => void refetch()} />
  }
  if (data === undefined) return <Loading label="Loading the preview" />
  const kind = previewKind(file.key, data.contentType)
  const noPreview = <NoPreview bucket={bucket} file={file} size={data.size} />
  if (kind === undefined || data.size === 0) return noPreview
  if (kind === 'text')
    return <TextPreview bucket={bucket} file={file} size={data.size} fallback={noPreview} />
  return <MediaPreview bucket={bucket} file={file} kind={kind} details={data} />
}

interface NoPreviewProps {
  readonly bucket: string
  readonly file: FileEntry
  readonly size: number
}

function NoPreview({ bucket, file, size }: NoPreviewProps) {
  if (size === 0)
    return <EmptyState icon={<IconEyeOff size={36} stroke={1.2} />} title="The file is empty" />
  return (
    <EmptyState icon={<IconEyeOff size={36} stroke={1.2} />} title="This file cannot be previewed">
      <Button mt="xs" size="xs" variant="default" onClick={() => void download(bucket, [file])}>
        Download {formatBytes(size)}
      </Button>
    </EmptyState>
  )
}

/** An element does not say why it could not load: a read tells a refusal from an invalid file. */
function BrokenMedia(props: NoPreviewProps) {
  const { bucket, file } = props
  const { error, isPending } = useQuery({
    queryKey: ['readable', bucket, file.key, file.etag],
    queryFn: async ({ signal }) => {
      await readStart({ bucket, key: file.key }, signal)
      return null
    },
    gcTime: 0,
  })
  if (isPending) return <Loading label="Loading the preview" />
  if (error !== null) return <FailureNotice title="The file could not be opened" error={error} />
  return <NoPreview {...props} />
}

interface MediaPreviewProps {
  readonly bucket: string
  readonly file: FileEntry
  readonly kind: Exclude<PreviewKind, 'text'>
  readonly details: ObjectDetails
}

function MediaPreview({ bucket, file, kind, details }: MediaPreviewProps) {
  const [hasFailed, setHasFailed] = useState(false)
  const type = previewType(file.key, details.contentType)
  const { data: url, error } = useQuery({
    queryKey: ['object-url', bucket, file.key, details.etag],
    queryFn: () =>
      objectUrl(
        { bucket, key: file.key },
        type === undefined ? {} : { 'response-content-type': type },
        mediaSeconds,
      ),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (error !== null) return <FailureNotice title="The file could not be opened" error={error} />
  if (hasFailed) return <BrokenMedia bucket={bucket} file={file} size={details.size} />
  if (url === undefined) return <Loading label="Loading the preview" />
  const label = visibleName(file.name)
  const onError = () => setHasFailed(true)
  switch (kind) {
    case 'image':
      return <img className={classes.image} src={url} alt={label} onError={onError} />
    case 'video':
      return (
        // biome-ignore lint/a11y/useMediaCaption: an object has no captions
        <video className={classes.media} src={url} controls aria-label={label} onError={onError} />
      )
    case 'audio':
      return (
        // biome-ignore lint/a11y/useMediaCaption: an object has no captions
        <audio className={classes.sound} src={url} controls aria-label={label} onError={onError} />
      )
    case 'pdf':
      return <iframe className={classes.document} src={url} title={label} />
  }
}
