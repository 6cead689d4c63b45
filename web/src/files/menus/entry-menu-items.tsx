import { Menu } from '@mantine/core'
import { Fragment } from 'react'
import { filesDialogsTexts } from '../../texts/files-dialogs.ts'
import { ActionGlyph } from '../entries/action-icons.tsx'
import type { Entry } from '../entries/entry.ts'
import { actionObstacle, type EntryAction } from '../entries/entry-action.ts'
import { areStarred } from '../stars/stars.ts'
import { shortcut } from './menu-at.tsx'

export const actionLabels: Readonly<Record<EntryAction, string>> = {
  open: filesDialogsTexts.actions.open,
  details: filesDialogsTexts.actions.details,
  download: filesDialogsTexts.actions.download,
  share: filesDialogsTexts.actions.share,
  star: filesDialogsTexts.actions.star,
  'copy-uri': filesDialogsTexts.actions.copyUri,
  rename: filesDialogsTexts.actions.rename,
  write: filesDialogsTexts.actions.write,
  edit: filesDialogsTexts.actions.edit,
  measure: filesDialogsTexts.actions.measure,
  move: filesDialogsTexts.actions.move,
  copy: filesDialogsTexts.actions.copy,
  duplicate: filesDialogsTexts.actions.duplicate,
  delete: filesDialogsTexts.actions.delete,
  erase: filesDialogsTexts.actions.erase,
}

/** The keys that do the same in the list. */
const actionKeys: Readonly<Partial<Record<EntryAction, string>>> = {
  open: filesDialogsTexts.keys.open,
  details: filesDialogsTexts.keys.details,
  rename: 'F2',
  delete: filesDialogsTexts.keys.delete,
  erase: filesDialogsTexts.keys.erase,
}

/** A line separates the groups. What is used most is first, in each group too. */
const groups: readonly (readonly EntryAction[])[] = [
  ['open', 'write', 'download'],
  ['share', 'star', 'copy-uri'],
  ['rename', 'move', 'copy', 'duplicate'],
  ['details', 'measure', 'edit'],
  ['delete', 'erase'],
]

/** Has enough contrast on the red background of a hovered item (WCAG 2.2, "Contrast (Minimum)"). */
const dangerous = 'light-dark(#a61e1e, var(--mantine-color-error))'

interface EntryMenuItemsProps {
  /** That of the list; entries of search results have their own. */
  readonly bucket: string
  readonly entries: readonly Entry[]
  readonly actions: readonly EntryAction[]
  readonly onAct: (action: EntryAction) => void
}

/** The actions on entries as items of a menu. */
export function EntryMenuItems({ bucket, entries, actions, onAct }: EntryMenuItemsProps) {
  const shown = groups.map((group) => group.filter((action) => actions.includes(action)))
  return shown
    .filter((group) => group.length > 0)
    .map((group, index) => (
      <Fragment key={group[0]}>
        {index > 0 && <Menu.Divider role="separator" />}
        {group.map((action) => (
          <ActionItem key={action} action={action} {...{ bucket, entries, onAct }} />
        ))}
      </Fragment>
    ))
}

type ActionItemProps = Omit<EntryMenuItemsProps, 'actions'> & { readonly action: EntryAction }

function ActionItem({ bucket, entries, action, onAct }: ActionItemProps) {
  const obstacle = actionObstacle(action, entries)
  return (
    <Menu.Item
      leftSection={<ActionGlyph action={action} />}
      rightSection={shortcut(actionKeys[action])}
      {...(action === 'erase' && { color: 'red', c: dangerous })}
      {...(obstacle !== undefined && { title: obstacle, disabled: true })}
      onClick={() => onAct(action)}
    >
      {action === 'star' && areStarred(bucket, entries)
        ? filesDialogsTexts.actions.unstar
        : actionLabels[action]}
    </Menu.Item>
  )
}
