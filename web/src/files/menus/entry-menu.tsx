import { Menu } from '@mantine/core'
import type { Browser, MenuPosition } from '../browse/browser.ts'
import { ActionGlyph } from '../entries/action-icons.tsx'
import { actionKeys, actionLabels, actionObstacle, actionsFor } from '../entries/entry-action.ts'
import { MenuAt, shortcut } from './menu-at.tsx'

/** Has enough contrast on the red background of a hovered item (WCAG 2.2, "Contrast (Minimum)"). */
const dangerous = 'light-dark(#a61e1e, var(--mantine-color-error))'

interface EntryMenuProps {
  readonly browser: Browser
  readonly menu: Extract<MenuPosition, { readonly type: 'entries' }>
}

/** One menu for all rows, opened at the pointer or the active row. */
export function EntryMenu({ browser, menu }: EntryMenuProps) {
  const { entries } = menu
  return (
    <MenuAt browser={browser} menu={menu} label="Actions">
      {actionsFor(entries).map((action) => {
        const obstacle = actionObstacle(action, entries)
        return (
          <Menu.Item
            key={action}
            leftSection={<ActionGlyph action={action} />}
            rightSection={shortcut(actionKeys[action])}
            {...(action === 'erase' && { color: 'red', c: dangerous })}
            {...(obstacle !== undefined && { title: obstacle, disabled: true })}
            onClick={() => browser.act(action, entries)}
          >
            {actionLabels[action]}
          </Menu.Item>
        )
      })}
    </MenuAt>
  )
}
