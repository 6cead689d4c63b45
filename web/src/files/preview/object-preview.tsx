import { Button } from '@mantine/core'
import { IconEyeOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatBytes } from '../../format/bytes.ts'
import { previewTexts } from '../../texts/preview.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FailureNotice } from '../../ui/failure-notice.tsx'
import { Loading } from '../../ui/loading.tsx'
import type { FileEntry } from '../entries/entry.ts'
import { type PreviewKind, previewKind } from '../entries/preview-kind.ts'
import { visibleName } from '../entries/visible-name.ts'
import { readBytes } from '../s3/bucket-client.ts'
import { download } from '../s3/download-files.ts'
import type { ObjectDetails } from '../s3/object-details.ts'
import type { DetailsQuery } from '../s3/use-object-details.ts'
import { ZipPreview } from './archive/zip-preview.tsx'
import { mediaUrl } from './media-url.ts'
import { TextPreview } from './text/text-preview.tsx'
import type { PictureZoom } from './use-zoom.ts'
import { ViewedPicture } from './viewed-picture.tsx'
import classes from './viewer.module.css'

interface ObjectPreviewProps {
  readonly bucket: string
  readonly file: FileEntry
  readonly details: DetailsQuery
  readonly picture: PictureZoom
}

/**
 * The content of a file, as far as a browser can show it. Objects share this app's origin: they are
 * only used where they cannot run scripts, and never inserted into the page as HTML.
 */
export function ObjectPreview({ bucket, file, details, picture }: ObjectPreviewProps) {
  const { data } = details
  const kind = data && previewKind(file.key, data.contentType)
  if (data !== undefined && data.size > 0 && isMedia(kind)) {
    return <MediaPreview {...{ bucket, file, kind, picture }} details={data} />
  }
  return (
    <div className={classes.paper}>
      <OtherPreview {...{ bucket, file, details }} />
    </div>
  )
}

function OtherPreview({ bucket, file, details }: Omit<ObjectPreviewProps, 'picture'>) {
  const { data, error, refetch } = details
  if (error !== null) {
    const title = previewTexts.failure
    return <FailureNotice title={title} error={error} onRetry={() => void refetch()} />
  }
  if (data === undefined) return <Loading label={previewTexts.loading} />
  const kind = previewKind(file.key, data.contentType)
  const noPreview = <NoPreview bucket={bucket} file={file} details={data} />
  if (data.size === 0) return noPreview
  if (kind === 'text')
    return <TextPreview bucket={bucket} file={file} details={data} fallback={noPreview} />
  if (kind === 'zip')
    return <ZipPreview bucket={bucket} file={file} details={data} fallback={noPreview} />
  return noPreview
}

type MediaKind = Exclude<PreviewKind, 'text' | 'zip'>

function isMedia(kind: PreviewKind | undefined): kind is MediaKind {
  return kind !== undefined && kind !== 'text' && kind !== 'zip'
}

interface NoPreviewProps {
  readonly bucket: string
  readonly file: FileEntry
  readonly details: ObjectDetails
}

function NoPreview({ bucket, file, details: { size, versionId } }: NoPreviewProps) {
  if (size === 0)
    return <EmptyState icon={<IconEyeOff size={36} stroke={1.2} />} title={previewTexts.empty} />
  return (
    <EmptyState icon={<IconEyeOff size={36} stroke={1.2} />} title={previewTexts.none}>
      <Button
        mt="xs"
        size="xs"
        variant="default"
        onClick={() => void download(bucket, [file], versionId)}
      >
        {previewTexts.download(formatBytes(size))}
      </Button>
    </EmptyState>
  )
}

/** An element does not say why it could not load: a read distinguishes a refusal from an invalid file. */
function BrokenMedia(props: NoPreviewProps) {
  const { bucket, file, details } = props
  const { key, etag } = file
  const { versionId } = details
  const { error, isPending } = useQuery({
    queryKey: ['readable', bucket, key, etag, versionId],
    queryFn: async ({ signal }) => {
      await readBytes({ bucket, key, versionId }, { first: 0, last: 0 }, signal)
      return null
    },
    gcTime: 0,
  })
  if (isPending) return <Loading label={previewTexts.loading} />
  if (error !== null) return <FailureNotice title={previewTexts.failure} error={error} />
  return <NoPreview {...props} />
}

interface MediaPreviewProps {
  readonly bucket: string
  readonly file: FileEntry
  readonly kind: MediaKind
  readonly details: ObjectDetails
  readonly picture: PictureZoom
}

function MediaPreview({ bucket, file, kind, details, picture }: MediaPreviewProps) {
  const [hasFailed, setHasFailed] = useState(false)
  const { data: url, error } = useQuery(mediaUrl(bucket, file.key, details))
  if (error !== null || hasFailed || url === undefined) {
    return (
      <div className={classes.paper}>
        {error !== null ? (
          <FailureNotice title={previewTexts.failure} error={error} />
        ) : hasFailed ? (
          <BrokenMedia bucket={bucket} file={file} details={details} />
        ) : (
          <Loading label={previewTexts.loading} />
        )}
      </div>
    )
  }
  const label = visibleName(file.name)
  const shared = { src: url, onError: () => setHasFailed(true) }
  switch (kind) {
    case 'image':
      return <ViewedPicture {...shared} {...{ bucket, file, details, picture }} />
    case 'video':
      return <video className={classes.media} {...shared} controls aria-label={label} />
    case 'audio':
      return <audio className={classes.sound} {...shared} controls aria-label={label} />
    case 'pdf':
      return <iframe className={classes.document} src={url} title={label} />
  }
}
