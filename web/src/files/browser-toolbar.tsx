import { ActionIcon, Button, Menu } from '@mantine/core'
import {
  IconFilePlus,
  IconFolderPlus,
  IconFolderUp,
  IconHelp,
  IconRefresh,
  IconUpload,
} from '@tabler/icons-react'
import { useRef } from 'react'
import classes from './browser-toolbar.module.css'
import { FilterField } from './filter-field.tsx'
import { SelectionBar } from './selection-bar.tsx'
import type { Browser } from './use-browser.ts'
import type { Uploader } from './use-uploader.ts'

interface BrowserToolbarProps {
  readonly browser: Browser
  readonly uploader: Uploader
}

export function BrowserToolbar({ browser, uploader }: BrowserToolbarProps) {
  if (browser.picked.selected.length > 0) return <SelectionBar browser={browser} />
  const { setDialog, reload, location, setFilter } = browser
  return (
    <div className={classes.bar}>
      <UploadMenu uploader={uploader} />
      <Button
        variant="default"
        leftSection={<IconFolderPlus size={18} />}
        onClick={() => setDialog({ type: 'new-folder' })}
      >
        New folder
      </Button>
      <FilterField filter={location.filter} onFilter={setFilter} />
      <ActionIcon.Group>
        <ActionIcon
          variant="default"
          size={36}
          aria-label="Load again"
          title="Load again"
          onClick={reload}
        >
          <IconRefresh size={18} />
        </ActionIcon>
        <ActionIcon
          variant="default"
          size={36}
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts"
          className={classes.help}
          onClick={() => setDialog({ type: 'help' })}
        >
          <IconHelp size={18} />
        </ActionIcon>
      </ActionIcon.Group>
    </div>
  )
}

function UploadMenu({ uploader }: { readonly uploader: Uploader }) {
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
            A folder
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        onChange={(event) => uploader.addPicked(event.currentTarget)}
      />
      <input
        ref={folder}
        type="file"
        multiple
        hidden
        // Only so do browsers offer folders.
        {...{ webkitdirectory: '' }}
        onChange={(event) => uploader.addPicked(event.currentTarget)}
      />
    </>
  )
}
