import { filesDialogsTexts } from '../../texts/files-dialogs.ts'
import type { Browser, MenuPosition } from '../browse/browser.ts'
import { actionsFor } from '../entries/entry-action.ts'
import { EntryMenuItems } from './entry-menu-items.tsx'
import { MenuAt } from './menu-at.tsx'

interface EntryMenuProps {
  readonly browser: Browser
  readonly menu: Extract<MenuPosition, { readonly type: 'entries' }>
}

/** One menu for all rows, opened at the pointer or the active row. */
export function EntryMenu({ browser, menu }: EntryMenuProps) {
  const { entries } = menu
  return (
    <MenuAt browser={browser} menu={menu} label={filesDialogsTexts.menu.actions}>
      <EntryMenuItems
        bucket={browser.location.bucket}
        entries={entries}
        actions={actionsFor(entries)}
        onAct={(action) => browser.act(action, entries)}
      />
    </MenuAt>
  )
}
