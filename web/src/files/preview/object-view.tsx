import { FocusTrap, Modal, Text } from '@mantine/core'
import { useIdle, useLocalStorage, useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useBucket } from '../../api/service-queries.ts'
import { formatMoment } from '../../format/time.ts'
import { previewTexts } from '../../texts/preview.ts'
import { useClosesOnEscape } from '../../ui/confirm.tsx'
import type { Entry, FileEntry } from '../entries/entry.ts'
import type { EntryAction } from '../entries/entry-action.ts'
import { kindByName, previewKind } from '../entries/preview-kind.ts'
import { visibleName } from '../entries/visible-name.ts'
import { type DetailsQuery, useObjectDetails } from '../s3/use-object-details.ts'
import type { ListedVersion } from '../s3/version-page.ts'
import { VersionsPanel } from '../versions/versions-panel.tsx'
import { usePicturesAhead } from './media-url.ts'
import { type NeighbourFiles, useNeighbours } from './neighbours.ts'
import { ObjectDetailsPanel } from './object-details-panel.tsx'
import { ObjectPreview } from './object-preview.tsx'
import { PictureBar } from './picture-bar.tsx'
import { useFileKeys } from './use-file-keys.ts'
import { useSlideshow, useSwipe } from './use-slideshow.ts'
import { useViewerKeys } from './use-viewer-keys.ts'
import { type PictureZoom, useZoom } from './use-zoom.ts'
import { useIsPreparing } from './viewed-picture.tsx'
import classes from './viewer.module.css'
import { Step, ViewerBar } from './viewer-bar.tsx'

interface ObjectViewProps {
  readonly bucket: string
  readonly file: FileEntry
  /** The listed entries, for Previous and Next. */
  readonly entries: readonly Entry[]
  /** Whether a dialog lies over it. */
  readonly isCovered: boolean
  readonly onShow: (file: FileEntry) => void
  readonly onAct: (action: EntryAction) => void
  readonly onClose: () => void
}

/** After this time without a pointer or key, nothing lies over a picture that fills the screen. */
const idleMs = 3_000

/** A file in the whole window: content, actions and details, or only a picture. */
export function ObjectView(props: ObjectViewProps) {
  const { bucket, file, entries, isCovered, onShow, onAct, onClose } = props
  const files = useNeighbours(entries, file, isAny)
  const pictures = useNeighbours(entries, file, isPicture)
  const panel = useDetailsPanel()
  const menu = useState(false)
  const versions = useShownVersion(bucket, file)
  const details = useObjectDetails(bucket, file.key, versions.shown?.versionId)
  const { after } = pictures
  const id = `${bucket}/${file.key} ${versions.shown?.versionId}`
  const show = useSlideshow(id, after && (() => onShow(after)), useIsPreparing())
  const isIdle = useIdle(idleMs, { initialState: false })
  const shown = show.isFull ? pictures : files
  const picture = useZoom(id)
  const isImage = kindOf(file, details) === 'image'
  usePicturesAhead(bucket, [shown.before, shown.after], details.data !== undefined)
  const isOnTop = useClosesOnEscape() && !isCovered && !menu[0]
  useViewerKeys(isOnTop, { show, shown, picture, panel, onShow })
  const isCurrent = versions.shown === undefined
  useFileKeys(isOnTop, isCurrent ? onAct : undefined)
  const frame = useFocusAfterDialogs(isCovered)
  return (
    <Modal.Root
      opened
      fullScreen
      onClose={onClose}
      closeOnEscape={!show.isFull && isOnTop}
      transitionProps={{ transition: 'fade' }}
    >
      <Modal.Content
        className={classes.viewer ?? ''}
        aria-label={visibleName(file.name)}
        ref={frame}
        inert={isCovered}
      >
        <FocusTrap.InitialFocus />
        <div
          className={classes.frame}
          data-full={show.isFull || undefined}
          data-idle={(show.isFull && isIdle) || undefined}
        >
          {!show.isFull && (
            <ViewerBar
              bucket={bucket}
              {...{ file, menu, onClose }}
              details={panel}
              isCurrent={isCurrent}
              onAct={onAct}
            />
          )}
          <Stage {...{ isImage, picture, shown, onShow }}>
            <ObjectPreview key={id} {...{ bucket, file, details, picture }} />
          </Stage>
          <Step file={shown.before} to="Previous" onShow={onShow} />
          <Step file={shown.after} to="Next" onShow={onShow} />
          {isImage && <PictureBar picture={picture} show={show} />}
          {panel[0] && !show.isFull && (
            <section className={classes.panel} aria-label={previewTexts.details.title}>
              {versions.note}
              <ObjectDetailsPanel bucket={bucket} file={file} details={details} />
              {versions.panel}
            </section>
          )}
        </div>
      </Modal.Content>
    </Modal.Root>
  )
}

interface StageProps {
  readonly isImage: boolean
  readonly picture: PictureZoom
  readonly shown: NeighbourFiles
  readonly onShow: (file: FileEntry) => void
  readonly children: ReactNode
}

function Stage({ isImage, picture, shown, onShow, children }: StageProps) {
  const step = (to: FileEntry | undefined) => to !== undefined && onShow(to)
  const swipe = useSwipe(
    () => step(shown.after),
    () => step(shown.before),
  )
  const isEnlarged = picture.zoom.scale > 1 || undefined
  // Other content has gestures of its own. On an enlarged picture, one finger pans instead of turning to the next file.
  const gestures = isImage && { ...(!isEnlarged && swipe), ...picture.handlers }
  return (
    <div
      key={isImage ? 'image' : 'other'}
      className={classes.stage}
      data-image={isImage || undefined}
      data-enlarged={isEnlarged}
      {...gestures}
    >
      {children}
    </div>
  )
}

/** Beside the content, it stays as it was left. On a narrow screen it covers the content. */
function useDetailsPanel(): readonly [isOpen: boolean, setOpen: (isOpen: boolean) => void] {
  const isWide = useMediaQuery('(min-width: 861px)', true, { getInitialValueInEffect: false })
  const wide = useLocalStorage({
    key: 'bucketry.files.details',
    defaultValue: true,
    getInitialValueInEffect: false,
  })
  const narrow = useState(false)
  const [isOpen, setOpen] = isWide ? wide : narrow
  return [isOpen, setOpen]
}

/** A dialog that asks nothing takes the focus, and cannot return it. */
function useFocusAfterDialogs(isCovered: boolean) {
  const frame = useRef<HTMLDivElement>(null)
  const wasCovered = useRef(false)
  useEffect(() => {
    if (wasCovered.current && !isCovered && document.activeElement === document.body) {
      frame.current?.focus()
    }
    wasCovered.current = isCovered
  }, [isCovered])
  return frame
}

/** The former version of the file that is shown instead of the current one. */
function useShownVersion(bucketName: string, file: FileEntry) {
  const bucket = useBucket(bucketName)
  const [chosen, setChosen] = useState<{ bucket: string; version: ListedVersion | undefined }>()
  // Previous and Next lead to current versions.
  const isHere = chosen?.bucket === bucketName && chosen.version?.key === file.key
  const shown = isHere ? chosen.version : undefined
  const onShow = (version: ListedVersion | undefined) => setChosen({ bucket: bucketName, version })
  const panel = bucket !== undefined && bucket.versioning !== 'off' && (
    <VersionsPanel {...{ bucket, file, shown, onShow }} />
  )
  const note = shown !== undefined && (
    <Text size="sm" role="status">
      {previewTexts.version(formatMoment(shown.modifiedAtMs))}
    </Text>
  )
  return { shown, panel, note }
}

const isAny = () => true
const isPicture = ({ key }: FileEntry) => kindByName(key) === 'image'

function kindOf({ key }: FileEntry, { data }: DetailsQuery) {
  return data === undefined ? kindByName(key) : previewKind(key, data.contentType)
}
