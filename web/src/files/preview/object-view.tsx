import { ActionIcon, FocusTrap, Group, Modal, Stack, Text } from '@mantine/core'
import {
  IconChevronLeft,
  IconChevronRight,
  IconMaximize,
  IconMinimize,
  IconPlayerPause,
  IconPlayerPlay,
} from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from 'react'
import { useBucket } from '../../api/service-queries.ts'
import { formatMoment } from '../../format/time.ts'
import { useClosesOnEscape } from '../../ui/confirm.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { ActionButton } from '../entries/action-icons.tsx'
import type { Entry, FileEntry } from '../entries/entry.ts'
import type { EntryAction } from '../entries/entry-action.ts'
import { NameText } from '../entries/name-text.tsx'
import { isReachable } from '../entries/object-address.ts'
import { kindByName } from '../entries/preview-kind.ts'
import { visibleName } from '../entries/visible-name.ts'
import { useObjectDetails } from '../s3/use-object-details.ts'
import type { ListedVersion } from '../s3/version-page.ts'
import { VersionsPanel } from '../versions/versions-panel.tsx'
import { usePicturesAhead } from './media-url.ts'
import { ObjectDetailsPanel } from './object-details-panel.tsx'
import { ObjectPreview } from './object-preview.tsx'
import classes from './object-view.module.css'
import { type Slideshow, useSlideshow, useSwipe } from './use-slideshow.ts'

interface ObjectViewProps {
  readonly bucket: string
  readonly file: FileEntry
  /** The listed entries, for Previous and Next. */
  readonly entries: readonly Entry[]
  readonly onShow: (file: FileEntry) => void
  readonly onAct: (action: EntryAction, file: FileEntry) => void
  readonly onClose: () => void
}

/** The full view of a file: content and metadata, or a picture that fills the screen. */
export function ObjectView(props: ObjectViewProps) {
  const { bucket, file, entries, onShow, onAct, onClose } = props
  const files = useNeighbours(entries, file, isAny)
  const pictures = useNeighbours(entries, file, isPicture)
  const versions = useShownVersion(bucket, file)
  const details = useObjectDetails(bucket, file.key, versions.shown?.versionId)
  const { after } = pictures
  const show = useSlideshow(file.key, after && (() => onShow(after)))
  const shown = show.isFull ? pictures : files
  const step = (to: FileEntry | undefined) => to !== undefined && onShow(to)
  usePicturesAhead(bucket, [shown.before, shown.after], details.data !== undefined)
  const swipe = useSwipe(
    () => step(shown.after),
    () => step(shown.before),
  )
  const isOnTop = useClosesOnEscape()
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOnTop) return
    if (event.key === 'Escape' && show.isFull) show.toggleFull()
    if (isTakenByContent(event.target)) return
    if (event.key === 'ArrowLeft') step(shown.before)
    if (event.key === 'ArrowRight') step(shown.after)
  }
  return (
    <Modal
      opened
      onClose={onClose}
      size="min(1180px, 100%)"
      title={<NameText name={file.name} />}
      classNames={{
        header: (show.isFull && classes.hidden) || '',
        title: classes.title ?? '',
        body: classes.body ?? '',
      }}
      fullScreen={show.isFull}
      closeOnEscape={!show.isFull && isOnTop}
      onKeyDown={onKeyDown}
    >
      <FocusTrap.InitialFocus />
      <div className={classes.columns} data-full={show.isFull || undefined}>
        <div className={classes.stage} {...swipe} ref={versions.stage}>
          <ObjectPreview
            key={`${file.key} ${versions.shown?.versionId}`}
            bucket={bucket}
            file={file}
            details={details}
          />
        </div>
        <Stack gap={18} miw={0} className={classes.panel ?? ''}>
          <ViewActions
            neighbours={shown}
            show={isPicture(file) ? show : undefined}
            actions={versions.shown === undefined ? viewActions : []}
            onShow={onShow}
            onAct={(action) => onAct(action, file)}
          />
          {!show.isFull && (
            <>
              {versions.note}
              <ObjectDetailsPanel bucket={bucket} file={file} details={details} />
              {versions.panel}
            </>
          )}
        </Stack>
      </div>
    </Modal>
  )
}

/** The former version of the file that is shown instead of the current one. */
function useShownVersion(bucketName: string, file: FileEntry) {
  const bucket = useBucket(bucketName)
  const [chosen, setChosen] = useState<ListedVersion>()
  const stage = useRef<HTMLDivElement>(null)
  // Previous and Next lead to current versions.
  const shown = chosen?.key === file.key ? chosen : undefined
  const onShow = (version: ListedVersion | undefined) => {
    setChosen(version)
    // On a narrow screen, the preview is above the list.
    stage.current?.scrollIntoView({ block: 'nearest' })
  }
  const panel = bucket !== undefined && bucket.versioning !== 'off' && (
    <VersionsPanel {...{ bucket, file, shown, onShow }} />
  )
  const note = shown !== undefined && (
    <Text size="sm" role="status">
      This is the version of {formatMoment(shown.modifiedAtMs)}.
    </Text>
  )
  return { shown, stage, panel, note }
}

const isAny = () => true
const isPicture = ({ key }: FileEntry) => kindByName(key) === 'image'

/** Arrow keys seek in media and scroll text. */
function isTakenByContent(target: EventTarget): boolean {
  return target instanceof Element && target.closest('video, audio, input, textarea') !== null
}

interface NeighbourFiles {
  readonly before: FileEntry | undefined
  readonly after: FileEntry | undefined
}

function useNeighbours(
  entries: readonly Entry[],
  file: FileEntry,
  isWanted: (file: FileEntry) => boolean,
): NeighbourFiles {
  return useMemo(() => {
    const at = entries.findIndex(({ key }) => key === file.key)
    const isShown = (entry: Entry): entry is FileEntry =>
      entry.kind === 'file' && isReachable(entry.key) && isWanted(entry)
    return {
      before: at < 0 ? undefined : entries.slice(0, at).findLast(isShown),
      after: at < 0 ? undefined : entries.slice(at + 1).find(isShown),
    }
  }, [entries, file.key, isWanted])
}

interface ViewActionsProps {
  readonly neighbours: NeighbourFiles
  /** Undefined if the file is not a picture. */
  readonly show: Slideshow | undefined
  readonly actions: readonly EntryAction[]
  readonly onShow: (file: FileEntry) => void
  readonly onAct: (action: EntryAction) => void
}

const viewActions = ['download', 'share', 'copy-uri', 'rename', 'edit', 'move', 'delete'] as const

function ViewActions({ neighbours, show, actions, onShow, onAct }: ViewActionsProps) {
  const { before, after } = neighbours
  const shownActions = show?.isFull === true ? [] : actions
  return (
    <Group gap={6} role="toolbar" aria-label="Actions">
      <ActionIcon.Group>
        <Step file={before} what="Previous" icon={<IconChevronLeft size={20} />} onShow={onShow} />
        <Step file={after} what="Next" icon={<IconChevronRight size={20} />} onShow={onShow} />
      </ActionIcon.Group>
      {show !== undefined && <ShowButtons show={show} />}
      {shownActions.map((action) => (
        <ActionButton key={action} action={action} onClick={() => onAct(action)} />
      ))}
    </Group>
  )
}

function ShowButtons({ show: { isFull, isPlaying, toggleFull, togglePlaying } }: ShowButtonsProps) {
  const Play = isPlaying ? IconPlayerPause : IconPlayerPlay
  const Full = isFull ? IconMinimize : IconMaximize
  return (
    <>
      <IconButton
        label={isPlaying ? 'Pause the slideshow' : 'Slideshow'}
        variant="default"
        size={36}
        onClick={togglePlaying}
      >
        <Play size={18} />
      </IconButton>
      <IconButton
        label={isFull ? 'Exit full screen' : 'Full screen'}
        variant="default"
        size={36}
        onClick={toggleFull}
      >
        <Full size={18} />
      </IconButton>
    </>
  )
}

interface ShowButtonsProps {
  readonly show: Slideshow
}

interface StepProps {
  readonly file: FileEntry | undefined
  readonly what: string
  readonly icon: ReactNode
  readonly onShow: (file: FileEntry) => void
}

function Step({ file, what, icon, onShow }: StepProps) {
  const label = file === undefined ? `${what}: no file` : `${what}: ${visibleName(file.name)}`
  return (
    <IconButton
      label={label}
      variant="default"
      size={36}
      disabled={file === undefined}
      onClick={() => file !== undefined && onShow(file)}
    >
      {icon}
    </IconButton>
  )
}
