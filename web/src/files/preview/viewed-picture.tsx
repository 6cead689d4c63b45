import { queryOptions, useIsFetching, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { previewTexts } from '../../texts/preview.ts'
import { Loading } from '../../ui/loading.tsx'
import type { FileEntry } from '../entries/entry.ts'
import { previewType } from '../entries/preview-kind.ts'
import { visibleName } from '../entries/visible-name.ts'
import type { ObjectDetails } from '../s3/object-details.ts'
import { type DecoderKind, decoderKind } from '../thumbnails/thumbnail-kind.ts'
import { maxFileBytes } from '../thumbnails/thumbnail-limits.ts'
import type { MadePicture } from '../thumbnails/thumbnail-task.ts'
import { thumbnails } from '../thumbnails/thumbnails.ts'
import type { PictureZoom } from './use-zoom.ts'
import classes from './viewer.module.css'

interface ViewedPictureProps {
  readonly bucket: string
  readonly file: FileEntry
  readonly details: ObjectDetails
  readonly picture: PictureZoom
  /** The address of the file. */
  readonly src: string
  readonly onError: () => void
}

/** An image file, or a picture that the dashboard makes of it if this browser does not decode it. */
export function ViewedPicture(props: ViewedPictureProps) {
  const { bucket, file, details, picture, src, onError } = props
  const [hasFailed, setHasFailed] = useState(false)
  const decoder = decoderKind(file.key, details.contentType)
  const type = previewType(file.key, details.contentType) ?? details.contentType
  const isOwn = useQuery({ ...decodes(type), enabled: decoder !== undefined }).data
  const isMade = decoder !== undefined && (isOwn === false || hasFailed)
  const made = useQuery({ ...madePicture(bucket, file.key, details, decoder), enabled: isMade })
  const label = visibleName(file.name)
  if (decoder !== undefined && isOwn === undefined) return <Loading label={previewTexts.loading} />
  if (isMade && made.isPending) {
    return (
      <Preparing {...{ bucket, label }} file={{ ...file, etag: details.etag }} kind={decoder} />
    )
  }
  if (isMade && made.data) return <Made made={made.data} {...{ label, picture, onError }} />
  if (isMade && details.size > maxFileBytes) return <TooLarge onError={onError} />
  const fails = isOwn === true && !hasFailed ? () => setHasFailed(true) : onError
  return <Picture key={String(hasFailed)} onError={fails} {...{ src, label, picture }} />
}

const queryKey = 'made-picture'

/** Whether a picture is being made for the viewer. */
export function useIsPreparing(): boolean {
  return useIsFetching({ queryKey: [queryKey] }) > 0
}

/** When the viewer shows another file, the picture is discarded, and a thread that still makes it is ended. */
function madePicture(
  bucket: string,
  key: string,
  { etag, size, versionId }: ObjectDetails,
  decoder: DecoderKind | undefined,
) {
  return queryOptions({
    queryKey: [queryKey, bucket, key, etag, versionId],
    queryFn: async ({ signal }) => {
      const { makePicture } = await import('../thumbnails/make-thumbnail.ts')
      const address = { bucket, key, versionId }
      return (decoder && (await makePicture(address, { etag, size }, decoder, signal))) ?? null
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    // The viewer then shows the file itself, which reports what is wrong.
    retry: false,
  })
}

/** A GIF file of one pixel. */
const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='

/** Whether this browser says that it decodes a type: it then takes the picture that is declared with this type. */
function decodes(type: string) {
  return queryOptions({
    queryKey: ['decodes', type],
    queryFn: () => {
      const picture = document.createElement('picture')
      const source = Object.assign(document.createElement('source'), { type, srcset: pixel })
      const image = document.createElement('img')
      picture.append(source, image)
      const toAnswer = [() => true, () => false] as const
      return image.decode().then(...toAnswer)
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

interface PreparingProps {
  readonly bucket: string
  readonly file: FileEntry
  readonly kind: DecoderKind
  readonly label: string
}

/** The thumbnail, if there is one, as large as the picture will be. */
function Preparing({ bucket, file, kind, label }: PreparingProps) {
  const { data } = useQuery({
    queryKey: ['thumbnail', bucket, file.etag],
    queryFn: async ({ signal }) =>
      (await thumbnails.load({ bucket, file, kind }, signal, { isReadOnly: true })) ?? null,
    gcTime: 0,
    retry: false,
  })
  const src = useBlobUrl(data ?? undefined)
  return (
    <div className={classes.preparing}>
      {src !== undefined && <img src={src} alt={label} draggable={false} />}
      <p role="status">{previewTexts.picture.preparing}</p>
    </div>
  )
}

/** A browser reads a file to its end, and keeps all of it, before it says that it does not decode it. */
function TooLarge({ onError }: { readonly onError: () => void }) {
  useEffect(() => onError())
  return null
}

type ShownProps = Pick<ViewedPictureProps, 'picture' | 'onError'> & { readonly label: string }

function Made({ made, ...shown }: ShownProps & { readonly made: MadePicture }) {
  const src = useBlobUrl(made.picture)
  return src !== undefined && <Picture src={src} whole={made} {...shown} />
}

/** The address of a blob, which is revoked when another one is shown, or none. */
function useBlobUrl(blob: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (blob === undefined) return
    const made = URL.createObjectURL(blob)
    setUrl(made)
    return () => {
      setUrl(undefined)
      URL.revokeObjectURL(made)
    }
  }, [blob])
  return url
}

interface PictureProps extends ShownProps {
  readonly src: string
  /** The size of the picture that this one was made of. */
  readonly whole?: Pick<MadePicture, 'width' | 'height'>
}

function Picture({ src, label, picture, whole, onError }: PictureProps) {
  const { scale, x, y } = picture.zoom
  return (
    <img
      className={classes.image}
      style={{ transform: `translate(${x}px, ${y}px) scale(${scale})` }}
      src={src}
      alt={label}
      draggable={false}
      onLoad={(event) => picture.onLoad(event.currentTarget, whole)}
      onError={onError}
    />
  )
}
