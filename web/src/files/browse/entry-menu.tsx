import { Menu } from '@mantine/core'
import { ActionGlyph } from '../entries/action-icons.tsx'
import { actionLabels, actionObstacle, actionsFor } from '../entries/entry-action.ts'
import type { Browser, MenuPosition } from './use-browser.ts'

/** Has enough contrast on the red background of a hovered item (WCAG 2.2, "Contrast (Minimum)"). */
const dangerous = 'light-dark(#a61e1e, var(--mantine-color-error))'

interface EntryMenuProps {
  readonly browser: Browser
  readonly menu: MenuPosition
}

/** One menu for all rows, opened at the pointer or the active row. */
export function EntryMenu({ browser, menu }: EntryMenuProps) {
  const { closeMenu, act } = browser
  const { entries, x, y } = menu
  return (
    <Menu
      opened
      onClose={closeMenu}
      position="bottom-start"
      offset={2}
      withinPortal
      // Without the default `keydown`: the key that opens the menu would close it.
      clickOutsideEvents={['mousedown', 'touchstart']}
      // A new position remounts the menu, so that it opens there.
      key={`${x} ${y}`}
    >
      <Menu.Target>
        <span style={{ position: 'fixed', left: x, top: y }} aria-hidden />
      </Menu.Target>
      <Menu.Dropdown aria-label="Actions">
        {actionsFor(entries).map((action) => {
          const obstacle = actionObstacle(action, entries)
          return (
            <Menu.Item
              key={action}
              leftSection={<ActionGlyph action={action} />}
              {...(action === 'delete' && { color: 'red', c: dangerous })}
              {...(obstacle !== undefined && { title: obstacle, disabled: true })}
              onClick={() => act(action, entries)}
            >
              {actionLabels[action]}
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}
