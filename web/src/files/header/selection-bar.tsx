import { Button, CloseButton, Text } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { formatBytes } from '../../format/bytes.ts'
import { filesTexts } from '../../texts/files.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import type { Browser } from '../browse/browser.ts'
import { ActionGlyph } from '../entries/action-icons.tsx'
import { actionObstacle, actionsFor, type EntryAction } from '../entries/entry-action.ts'
import classes from './selection-bar.module.css'

type Room = 'always' | 'phone' | 'wide'

/** The actions with a button of their own, if there is room; the menu has all of them. */
const buttons: readonly (readonly [action: EntryAction, word: string, room: Room])[] = [
  ['download', filesTexts.selection.download, 'phone'],
  ['share', filesTexts.selection.share, 'always'],
  ['move', filesTexts.selection.move, 'wide'],
  ['delete', filesTexts.selection.delete, 'always'],
]

/** The number of selected entries and the actions on them. It replaces the path and the search. */
export function SelectionBar({ browser }: { readonly browser: Browser }) {
  const { picked, act, rowActions } = browser
  const { selected, dispatch } = picked
  const [first] = selected
  const bytes = selected.reduce((sum, entry) => sum + (entry.kind === 'file' ? entry.size : 0), 0)
  const possible = actionsFor(selected)
  return (
    <div role="toolbar" aria-label={filesTexts.selection.title} className={classes.room}>
      <div className={classes.bar}>
        <CloseButton
          aria-label={filesTexts.selection.clear}
          data-tip={filesTexts.selection.clearTip}
          onClick={() => dispatch({ type: 'none' })}
        />
        <span className={classes.count} role="status">
          {filesTexts.selection.count(selected.length)}{' '}
          {bytes > 0 && (
            <Text span inherit c="dimmed" className={classes.bytes ?? ''}>
              · {formatBytes(bytes)}
            </Text>
          )}
        </span>
        {buttons
          .filter(([action]) => possible.includes(action))
          .map(([action, word, room]) => {
            const obstacle = actionObstacle(action, selected)
            return (
              <Button
                key={action}
                variant="default"
                className={classes[room] ?? ''}
                leftSection={<ActionGlyph action={action} />}
                aria-label={word}
                {...(obstacle !== undefined && {
                  'data-disabled': true,
                  'aria-disabled': true,
                  'data-tip': obstacle,
                  'aria-description': obstacle,
                })}
                onClick={() => act(action, selected)}
              >
                {word}
              </Button>
            )
          })}
        <IconButton
          label={filesTexts.selection.more}
          variant="default"
          size={36}
          aria-haspopup="menu"
          onClick={({ currentTarget }) => {
            const { left, bottom, width } = currentTarget.getBoundingClientRect()
            if (first !== undefined) rowActions.onMenu(first, { x: left, y: bottom, width })
          }}
        >
          <IconDots size={18} />
        </IconButton>
      </div>
    </div>
  )
}
