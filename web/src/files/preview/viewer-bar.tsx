import { Menu, Modal } from '@mantine/core'
import {
  IconArrowLeft,
  IconChevronLeft,
  IconChevronRight,
  IconDotsVertical,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { frameTexts } from '../../texts/frame.ts'
import { previewTexts } from '../../texts/preview.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { ActionGlyph } from '../entries/action-icons.tsx'
import type { FileEntry } from '../entries/entry.ts'
import { actionsFor, type EntryAction } from '../entries/entry-action.ts'
import { NameText } from '../entries/name-text.tsx'
import { visibleName } from '../entries/visible-name.ts'
import { actionLabels, EntryMenuItems } from '../menus/entry-menu-items.tsx'
import classes from './viewer.module.css'

interface ViewerBarProps {
  readonly bucket: string
  readonly file: FileEntry
  /** Has this state, and changes it. */
  readonly details: readonly [isOpen: boolean, setOpen: (isOpen: boolean) => void]
  readonly menu: readonly [isOpen: boolean, setOpen: (isOpen: boolean) => void]
  /** Whether the current version is shown: actions are not for a former one. */
  readonly isCurrent: boolean
  readonly onAct: (action: EntryAction) => void
  readonly onClose: () => void
}

const beside: ReadonlySet<EntryAction> = new Set(['open', 'details', 'download', 'share', 'write'])

/** The name of the shown file, and what can be done with it. */
export function ViewerBar({
  bucket,
  file,
  details,
  menu,
  isCurrent,
  onAct,
  onClose,
}: ViewerBarProps) {
  const [areDetailsOpen, setDetailsOpen] = details
  const [isMenuOpen, setMenuOpen] = menu
  const possible = actionsFor([file])
  const direct = (['download', 'share', 'write'] as const).filter(
    (action) => isCurrent && possible.includes(action),
  )
  return (
    <>
      <IconButton
        label={frameTexts.close}
        size={40}
        className={classes.close ?? ''}
        onClick={onClose}
      >
        <IconArrowLeft size={20} />
      </IconButton>
      <Modal.Title className={classes.title ?? ''}>
        <NameText name={file.name} />
      </Modal.Title>
      <div className={classes.actions} role="toolbar" aria-label={previewTexts.bar.actions}>
        {direct.map((action) => (
          <BarButton key={action} action={action} onClick={() => onAct(action)} />
        ))}
        <BarButton
          action="details"
          isPressed={areDetailsOpen}
          onClick={() => setDetailsOpen(!areDetailsOpen)}
        />
        {isCurrent && (
          <Menu
            opened={isMenuOpen}
            onChange={setMenuOpen}
            position="bottom-end"
            withinPortal={false}
          >
            <Menu.Target>
              <IconButton label={previewTexts.bar.more} size={40}>
                <IconDotsVertical size={20} />
              </IconButton>
            </Menu.Target>
            <Menu.Dropdown aria-label={previewTexts.bar.more}>
              <EntryMenuItems
                bucket={bucket}
                entries={[file]}
                actions={possible.filter((action) => !beside.has(action))}
                onAct={onAct}
              />
            </Menu.Dropdown>
          </Menu>
        )}
      </div>
    </>
  )
}

interface BarButtonProps {
  readonly action: EntryAction
  readonly isPressed?: boolean
  readonly onClick: () => void
}

function BarButton({ action, isPressed, onClick }: BarButtonProps) {
  const label = actionLabels[action].replace(/ link…|…/, '')
  return (
    <IconButton
      label={label}
      w="auto"
      h={40}
      miw={44}
      px={8}
      {...(isPressed !== undefined && { 'aria-pressed': isPressed })}
      onClick={onClick}
    >
      <ActionGlyph action={action} />
      <span className={classes.word}>{label}</span>
    </IconButton>
  )
}

interface StepProps {
  readonly file: FileEntry | undefined
  readonly to: 'Previous' | 'Next'
  readonly onShow: (file: FileEntry) => void
}

/** An arrow at the edge. */
export function Step({ file, to, onShow }: StepProps): ReactNode {
  const label = previewTexts.bar.step[to === 'Previous' ? 'before' : 'after'](
    file === undefined ? previewTexts.bar.noFile : visibleName(file.name),
  )
  const Icon = to === 'Previous' ? IconChevronLeft : IconChevronRight
  return (
    <IconButton
      label={label}
      size={44}
      className={classes.step ?? ''}
      data-what={to}
      disabled={file === undefined}
      onClick={() => file !== undefined && onShow(file)}
    >
      <Icon size={24} />
    </IconButton>
  )
}
