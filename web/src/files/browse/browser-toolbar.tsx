import { Button, Group } from '@mantine/core'
import {
  IconFolderPlus,
  IconHelp,
  IconHistory,
  IconLayoutGrid,
  IconList,
  IconListSearch,
  IconRefresh,
} from '@tabler/icons-react'
import { useBucket } from '../../api/service-queries.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { PasteButton } from '../carry/paste-button.tsx'
import classes from './browser-toolbar.module.css'
import { FilterField } from './filter-field.tsx'
import { UploadButton } from './upload-button.tsx'
import type { Browser } from './use-browser.ts'

interface BrowserToolbarProps {
  readonly browser: Browser
}

export function BrowserToolbar({ browser }: BrowserToolbarProps) {
  const { setDialog, reload, location, setFilter, layout, setLayout } = browser
  const hasVersions = (useBucket(location.bucket)?.versioning ?? 'off') !== 'off'
  return (
    <Group flex="none" gap={8} mih={36} className={classes.bar ?? ''}>
      <UploadButton to={location} />
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
        label="Search in folders"
        variant="default"
        size={36}
        className={classes.search ?? ''}
        onClick={() => setDialog({ type: 'search' })}
      >
        <IconListSearch size={18} />
      </IconButton>
      <IconButton
        label={layout === 'list' ? 'Show as grid' : 'Show as list'}
        variant="default"
        size={36}
        className={classes.layout ?? ''}
        onClick={() => setLayout(layout === 'list' ? 'grid' : 'list')}
      >
        {layout === 'list' ? <IconLayoutGrid size={18} /> : <IconList size={18} />}
      </IconButton>
      {hasVersions && (
        <IconButton
          label="Show deleted"
          variant="default"
          size={36}
          className={classes.deleted ?? ''}
          onClick={() => setDialog({ type: 'deleted' })}
        >
          <IconHistory size={18} />
        </IconButton>
      )}
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
