import { CloseButton, Text } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { formatBytes, formatCount } from '../../format/bytes.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { ActionButton } from '../entries/action-icons.tsx'
import { actionObstacle, actionsFor, type EntryAction } from '../entries/entry-action.ts'
import classes from './selection-bar.module.css'
import type { Browser } from './use-browser.ts'

/** Actions shown on narrow screens, where the menu has the others. */
const always: ReadonlySet<EntryAction> = new Set(['download', 'delete'])

/** The number of selected entries and the actions on them. Shown beside the path, so that no row moves. */
export function SelectionBar({ browser }: { readonly browser: Browser }) {
  const { picked, act, rowActions } = browser
  const { selected, dispatch } = picked
  const [first] = selected
  const bytes = selected.reduce((sum, entry) => sum + (entry.kind === 'file' ? entry.size : 0), 0)
  return (
    <div role="toolbar" aria-label="Selected" className={classes.bar}>
      <CloseButton
        aria-label="Clear selection"
        title="Clear selection"
        onClick={() => dispatch({ type: 'none' })}
      />
      <span className={classes.count} role="status">
        {formatCount(selected.length)} selected{' '}
        {bytes > 0 && (
          <Text span inherit c="dimmed" className={classes.wide ?? ''}>
            · {formatBytes(bytes)}
          </Text>
        )}
      </span>
      {actionsFor(selected).map((action) => (
        <span key={action} className={always.has(action) ? undefined : classes.wide}>
          <ActionButton
            action={action}
            obstacle={actionObstacle(action, selected)}
            onClick={() => act(action, selected)}
          />
        </span>
      ))}
      <IconButton
        label="More actions"
        variant="default"
        size={36}
        aria-haspopup="menu"
        className={classes.more ?? ''}
        onClick={({ currentTarget }) => {
          const { left, bottom } = currentTarget.getBoundingClientRect()
          if (first !== undefined) rowActions.onMenu(first, { x: left, y: bottom })
        }}
      >
        <IconDots size={18} />
      </IconButton>
    </div>
  )
}
