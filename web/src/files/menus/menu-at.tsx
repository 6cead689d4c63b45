import { Menu, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Browser, MenuPosition } from '../browse/browser.ts'
import classes from './menu-at.module.css'

interface MenuAtProps {
  readonly browser: Browser
  readonly menu: MenuPosition
  readonly label: string
  readonly children: ReactNode
}

/** A menu at a place of the screen: at the pointer, at the active row, or below a button. */
export function MenuAt({ browser, menu, label, children }: MenuAtProps) {
  const { x, y, width = 0 } = menu
  return (
    <Menu
      opened
      onClose={browser.closeMenu}
      position="bottom-start"
      offset={2}
      withinPortal
      // A menu that is higher than the room below and above covers its button.
      middlewares={{ shift: { crossAxis: true, padding: 8 } }}
      // Without the default `keydown`: the key that opens the menu would close it.
      clickOutsideEvents={['mousedown', 'touchstart']}
      // A new position remounts the menu, so that it opens there.
      key={`${x} ${y}`}
    >
      <Menu.Target>
        <span style={{ position: 'fixed', left: x, top: y, width }} aria-hidden />
      </Menu.Target>
      <Menu.Dropdown aria-label={label} mah="calc(100dvh - 16px)" style={{ overflowY: 'auto' }}>
        {children}
      </Menu.Dropdown>
    </Menu>
  )
}

/** The keys that do the same as an item of a menu. */
export function shortcut(keys: string | undefined): ReactNode {
  if (keys === undefined) return undefined
  return (
    <Text span size="xs" c="inherit" className={classes.shortcut ?? ''} aria-hidden>
      {keys}
    </Text>
  )
}
