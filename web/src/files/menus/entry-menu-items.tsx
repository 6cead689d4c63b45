import { Menu } from '@mantine/core'
import { ActionGlyph } from '../entries/action-icons.tsx'
import type { Entry } from '../entries/entry.ts'
import {
  actionKeys,
  actionLabels,
  actionObstacle,
  type EntryAction,
} from '../entries/entry-action.ts'
import { areStarred } from '../stars/stars.ts'
import { shortcut } from './menu-at.tsx'

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
  return actions.map((action) => {
    const obstacle = actionObstacle(action, entries)
    return (
      <Menu.Item
        key={action}
        leftSection={<ActionGlyph action={action} />}
        rightSection={shortcut(actionKeys[action])}
        {...(action === 'erase' && { color: 'red', c: dangerous })}
        {...(obstacle !== undefined && { title: obstacle, disabled: true })}
        onClick={() => onAct(action)}
      >
        {action === 'star' && areStarred(bucket, entries)
          ? 'Remove from Starred'
          : actionLabels[action]}
      </Menu.Item>
    )
  })
}
