import { ActionIcon, FocusTrap, Group, Modal, Stack } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, useMemo } from 'react'
import { IconButton } from '../../ui/icon-button.tsx'
import { ActionButton } from '../entries/action-icons.tsx'
import type { Entry, FileEntry } from '../entries/entry.ts'
import type { EntryAction } from '../entries/entry-action.ts'
import { NameText } from '../entries/name-text.tsx'
import { isReachable } from '../entries/object-address.ts'
import { visibleName } from '../entries/visible-name.ts'
import { useObjectDetails } from '../s3/use-object-details.ts'
import { ObjectDetailsPanel } from './object-details-panel.tsx'
import { ObjectPreview } from './object-preview.tsx'
import classes from './object-view.module.css'

interface ObjectViewProps {
  readonly bucket: string
  readonly file: FileEntry
  /** The listed entries, for Previous and Next. */
  readonly entries: readonly Entry[]
  readonly onShow: (file: FileEntry) => void
  readonly onAct: (action: EntryAction, file: FileEntry) => void
  readonly onClose: () => void
}

/** The full view of a file: content and metadata. */
export function ObjectView(props: ObjectViewProps) {
  const { bucket, file, entries, onShow, onAct, onClose } = props
  const { before, after } = useNeighbours(entries, file)
  const details = useObjectDetails(bucket, file.key)
  const onKeyDown = (event: KeyboardEvent) => {
    if (isTakenByContent(event.target)) return
    if (event.key === 'ArrowLeft' && before !== undefined) onShow(before)
    if (event.key === 'ArrowRight' && after !== undefined) onShow(after)
  }
  return (
    <Modal
      opened
      onClose={onClose}
      size="min(1180px, 100%)"
      title={<NameText name={file.name} />}
      classNames={{ title: classes.title ?? '', body: classes.body ?? '' }}
      onKeyDown={onKeyDown}
    >
      <FocusTrap.InitialFocus />
      <div className={classes.columns}>
        <div className={classes.stage}>
          <ObjectPreview key={file.key} bucket={bucket} file={file} details={details} />
        </div>
        <Stack gap={18} miw={0}>
          <ViewActions
            before={before}
            after={after}
            onShow={onShow}
            onAct={(action) => onAct(action, file)}
          />
          <ObjectDetailsPanel bucket={bucket} file={file} details={details} />
        </Stack>
      </div>
    </Modal>
  )
}

/** Arrow keys seek in media and scroll text. */
function isTakenByContent(target: EventTarget): boolean {
  return target instanceof Element && target.closest('video, audio, input, textarea') !== null
}

interface NeighbourFiles {
  readonly before: FileEntry | undefined
  readonly after: FileEntry | undefined
}

function useNeighbours(entries: readonly Entry[], file: FileEntry): NeighbourFiles {
  return useMemo(() => {
    const at = entries.findIndex(({ key }) => key === file.key)
    const isShown = (entry: Entry): entry is FileEntry =>
      entry.kind === 'file' && isReachable(entry.key)
    return {
      before: at < 0 ? undefined : entries.slice(0, at).findLast(isShown),
      after: at < 0 ? undefined : entries.slice(at + 1).find(isShown),
    }
  }, [entries, file.key])
}

interface ViewActionsProps extends NeighbourFiles {
  readonly onShow: (file: FileEntry) => void
  readonly onAct: (action: EntryAction) => void
}

const viewActions = ['download', 'share', 'copy-uri', 'rename', 'move', 'delete'] as const

function ViewActions({ before, after, onShow, onAct }: ViewActionsProps) {
  return (
    <Group gap={6} role="toolbar" aria-label="Actions">
      <ActionIcon.Group>
        <Step file={before} what="Previous" icon={<IconChevronLeft size={20} />} onShow={onShow} />
        <Step file={after} what="Next" icon={<IconChevronRight size={20} />} onShow={onShow} />
      </ActionIcon.Group>
      {viewActions.map((action) => (
        <ActionButton key={action} action={action} onClick={() => onAct(action)} />
      ))}
    </Group>
  )
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
