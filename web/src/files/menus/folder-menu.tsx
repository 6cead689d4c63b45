import { Menu } from '@mantine/core'
import {
  IconCheckbox,
  IconClipboard,
  IconFilePlus,
  IconFileText,
  IconFolderPlus,
  IconFolderUp,
  IconHelp,
  IconHistory,
  IconRefresh,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useBucket } from '../../api/service-queries.ts'
import type { Browser, MenuPosition } from '../browse/browser.ts'
import { clipboard, pasteInto } from '../carry/clipboard.ts'
import { pickUploads } from '../upload/upload-inputs.tsx'
import { MenuAt, shortcut } from './menu-at.tsx'

interface FolderMenuProps {
  readonly browser: Browser
  readonly menu: Exclude<MenuPosition, { readonly type: 'entries' }>
}

/** The menu of the folder: what can be added to it, and with the button “More” or on empty space what can be done. */
export function FolderMenu({ browser, menu }: FolderMenuProps) {
  const { location, mayChange, picked, reload, setDialog } = browser
  const { bucket, prefix } = location
  const hasVersions = (useBucket(bucket)?.versioning ?? 'off') !== 'off'
  if (menu.type === 'path') {
    return (
      <MenuAt browser={browser} menu={menu} label="Folders above">
        {menu.folders?.map(({ name, href }) => (
          <Menu.Item key={href} component={Link} href={href}>
            {name}
          </Menu.Item>
        ))}
      </MenuAt>
    )
  }
  const isAll = menu.type === 'folder'
  const clip = clipboard.snapshot()
  return (
    <MenuAt browser={browser} menu={menu} label={isAll ? 'Folder' : 'New'}>
      {bucket !== '' && mayChange && (
        <>
          <Item icon={<IconFilePlus size={18} />} onClick={() => pickUploads('files')}>
            Upload files
          </Item>
          <Item icon={<IconFolderUp size={18} />} onClick={() => pickUploads('folder')}>
            Upload a folder
          </Item>
          <Menu.Divider />
          <Item
            icon={<IconFolderPlus size={18} />}
            onClick={() => setDialog({ type: 'new', what: 'folder' })}
          >
            New folder
          </Item>
          <Item
            icon={<IconFileText size={18} />}
            onClick={() => setDialog({ type: 'new', what: 'file' })}
          >
            New text file
          </Item>
        </>
      )}
      {isAll && (
        <>
          <Menu.Divider />
          {clip !== undefined && bucket !== '' && (
            <Item
              icon={<IconClipboard size={18} />}
              keys="Ctrl + V"
              onClick={() => pasteInto({ bucket, prefix })}
            >
              Paste
            </Item>
          )}
          <Item
            icon={<IconCheckbox size={18} />}
            keys="Ctrl + A"
            onClick={() => picked.dispatch({ type: 'all', order: picked.keys })}
          >
            Select all
          </Item>
          <Item icon={<IconRefresh size={18} />} onClick={reload}>
            Refresh
          </Item>
          {hasVersions && (
            <Item icon={<IconHistory size={18} />} onClick={() => setDialog({ type: 'deleted' })}>
              Show deleted
            </Item>
          )}
          <Item icon={<IconHelp size={18} />} keys="?" onClick={() => setDialog({ type: 'help' })}>
            Keyboard shortcuts
          </Item>
        </>
      )}
    </MenuAt>
  )
}

interface ItemProps {
  readonly icon: ReactNode
  readonly keys?: string
  readonly onClick: () => void
  readonly children: string
}

function Item({ icon, keys, onClick, children }: ItemProps) {
  return (
    <Menu.Item leftSection={icon} rightSection={shortcut(keys)} onClick={onClick}>
      {children}
    </Menu.Item>
  )
}
