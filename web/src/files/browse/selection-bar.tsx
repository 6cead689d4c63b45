import { CloseButton, Group, Text } from '@mantine/core'
import { formatBytes, formatCount } from '../../format/bytes.ts'
import { ActionButton } from '../entries/action-icons.tsx'
import { actionObstacle, actionsFor } from '../entries/entry-action.ts'
import classes from './browser-toolbar.module.css'
import type { Browser } from './use-browser.ts'

/** Replaces the toolbar while entries are selected. */
export function SelectionBar({ browser }: { readonly browser: Browser }) {
  const { picked, act } = browser
  const { selected, dispatch } = picked
  const bytes = selected.reduce((sum, entry) => sum + (entry.kind === 'file' ? entry.size : 0), 0)
  return (
    <Group flex="none" gap={8} mih={36} role="toolbar" aria-label="Selected">
      <CloseButton
        aria-label="Clear selection"
        title="Clear selection"
        onClick={() => dispatch({ type: 'none' })}
      />
      <Text component="span" className={classes.count ?? ''} role="status">
        {formatCount(selected.length)} selected{' '}
        {bytes > 0 && (
          <Text span inherit c="dimmed">
            · {formatBytes(bytes)}
          </Text>
        )}
      </Text>
      {actionsFor(selected).map((action) => (
        <ActionButton
          key={action}
          action={action}
          obstacle={actionObstacle(action, selected)}
          onClick={() => act(action, selected)}
        />
      ))}
    </Group>
  )
}
