import { Box, Menu } from '@mantine/core'
import {
  IconArrowDown,
  IconArrowUp,
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
import { filesTexts } from '../../texts/files.ts'
import { filesDialogsTexts } from '../../texts/files-dialogs.ts'
import type { Browser, MenuPosition } from '../browse/browser.ts'
import { clipboard, pasteInto } from '../carry/clipboard.ts'
import type { SortField } from '../entries/entry-order.ts'
import { pressedSort, sortLabels } from '../grid/sort-controls.tsx'
import { pickUploads } from '../upload/upload-inputs.tsx'
import { MenuAt, shortcut } from './menu-at.tsx'

interface FolderMenuProps {
  readonly browser: Browser
  readonly menu: Exclude<MenuPosition, { readonly type: 'entries' }>
}

/** The menu of the folder: what can be added to it, and from its own button or on empty space what can be done. */
export function FolderMenu({ browser, menu }: FolderMenuProps) {
  const { location, mayChange, picked, reload, setDialog } = browser
  const { bucket, prefix } = location
  const hasVersions = (useBucket(bucket)?.versioning ?? 'off') !== 'off'
  if (menu.type === 'path') {
    return (
      <MenuAt browser={browser} menu={menu} label={filesTexts.foldersAbove}>
        {menu.folders?.map(({ name, href }) => (
          <Menu.Item key={href} component={Link} href={href}>
            {name}
          </Menu.Item>
        ))}
      </MenuAt>
    )
  }
  const isAll = menu.type === 'folder'
  // The button of this menu is beside the button “New”.
  const hasNew = !isAll || menu.opener === undefined
  const clip = clipboard.snapshot()
  return (
    <MenuAt browser={browser} menu={menu} label={isAll ? filesTexts.folder : filesTexts.header.new}>
      {bucket !== '' && mayChange && hasNew && (
        <>
          <Item icon={<IconFilePlus size={18} />} onClick={() => pickUploads('files')}>
            {filesDialogsTexts.menu.uploadFiles}
          </Item>
          <Item icon={<IconFolderUp size={18} />} onClick={() => pickUploads('folder')}>
            {filesDialogsTexts.menu.uploadFolder}
          </Item>
          <Menu.Divider />
          <Item
            icon={<IconFolderPlus size={18} />}
            onClick={() => setDialog({ type: 'new', kind: 'folder' })}
          >
            {filesDialogsTexts.menu.newFolder}
          </Item>
          <Item
            icon={<IconFileText size={18} />}
            onClick={() => setDialog({ type: 'new', kind: 'file' })}
          >
            {filesDialogsTexts.menu.newFile}
          </Item>
        </>
      )}
      {isAll && hasNew && <Menu.Divider />}
      {isAll && (
        <>
          {clip !== undefined && bucket !== '' && (
            <Item
              icon={<IconClipboard size={18} />}
              keys={filesDialogsTexts.keys.paste}
              onClick={() => pasteInto({ bucket, prefix })}
            >
              {filesDialogsTexts.menu.paste}
            </Item>
          )}
          <Item
            icon={<IconCheckbox size={18} />}
            keys={filesDialogsTexts.keys.selectAll}
            onClick={() => picked.dispatch({ type: 'all', order: picked.keys })}
          >
            {filesTexts.selectAll}
          </Item>
          <SortItems browser={browser} />
          <Item icon={<IconRefresh size={18} />} onClick={reload}>
            {filesDialogsTexts.menu.refresh}
          </Item>
          {hasVersions && (
            <Item icon={<IconHistory size={18} />} onClick={() => setDialog({ type: 'deleted' })}>
              {filesDialogsTexts.menu.deleted}
            </Item>
          )}
          <Item icon={<IconHelp size={18} />} keys="?" onClick={() => setDialog({ type: 'help' })}>
            {filesDialogsTexts.menu.shortcuts}
          </Item>
        </>
      )}
    </MenuAt>
  )
}

function SortItems({ browser: { sort, setSort } }: Pick<FolderMenuProps, 'browser'>) {
  const Arrow = sort.isDescending ? IconArrowDown : IconArrowUp
  return (
    <>
      <Menu.Divider />
      <Menu.Label>{filesDialogsTexts.menu.sortBy}</Menu.Label>
      {(Object.keys(sortLabels) as readonly SortField[]).map((field) => (
        <Menu.Item
          key={field}
          leftSection={sort.field === field ? <Arrow size={18} /> : <Box w={18} />}
          onClick={() => setSort(pressedSort(sort, field))}
        >
          {sortLabels[field]}
        </Menu.Item>
      ))}
      <Menu.Divider />
    </>
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
