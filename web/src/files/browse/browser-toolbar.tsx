import { Button, Group, Menu } from '@mantine/core'
import {
  IconFilePlus,
  IconFolderPlus,
  IconFolderUp,
  IconHelp,
  IconRefresh,
  IconUpload,
} from '@tabler/icons-react'
import { useRef } from 'react'
import { IconButton } from '../../ui/icon-button.tsx'
import { PasteButton } from '../carry/paste-button.tsx'
import type { FolderAddress } from '../change/move-plan.ts'
import { takePicked } from '../upload/take-uploads.ts'
import classes from './browser-toolbar.module.css'
import { FilterField } from './filter-field.tsx'
import type { Browser } from './use-browser.ts'

interface BrowserToolbarProps {
  readonly browser: Browser
}

export function BrowserToolbar({ browser }: BrowserToolbarProps) {
  const { setDialog, reload, location, setFilter } = browser
  return (
    <Group flex="none" gap={8} mih={36} className={classes.bar ?? ''}>
      <UploadMenu to={location} />
      <Button
        variant="default"
        leftSection={<IconFolderPlus size={18} />}
        onClick={() => setDialog({ type: 'new-folder' })}
      >
        New folder
      </Button>
      <PasteButton to={location} />
      <FilterField filter={location.filter} onFilter={setFilter} />
      <IconButton
        label="Refresh"
        variant="default"
        size={36}
        className={classes.refresh ?? ''}
        onClick={reload}
      >
        <IconRefresh size={18} />
      </IconButton>
      <IconButton
        label="Keyboard shortcuts"
        variant="default"
        size={36}
        className={classes.help ?? ''}
        onClick={() => setDialog({ type: 'help' })}
      >
        <IconHelp size={18} />
      </IconButton>
    </Group>
  )
}

function UploadMenu({ to }: { readonly to: FolderAddress }) {
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  return (
    <>
      <Menu position="bottom-start" withinPortal>
        <Menu.Target>
          <Button leftSection={<IconUpload size={18} />}>Upload</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconFilePlus size={18} />}
            onClick={() => files.current?.click()}
          >
            Files
          </Menu.Item>
          <Menu.Item
            leftSection={<IconFolderUp size={18} />}
            onClick={() => folder.current?.click()}
          >
            Folder
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        onChange={(event) => takePicked(event.currentTarget, to)}
      />
      <input
        ref={folder}
        type="file"
        multiple
        hidden
        // Required for browsers to offer folders.
        {...{ webkitdirectory: '' }}
        onChange={(event) => takePicked(event.currentTarget, to)}
      />
    </>
  )
}
