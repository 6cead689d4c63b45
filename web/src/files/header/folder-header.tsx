import { Button } from '@mantine/core'
import { IconDots, IconFilter, IconLayoutGrid, IconList, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { filesTexts } from '../../texts/files.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import type { Browser } from '../browse/browser.ts'
import { focusGrid, focusNextList, takeNextFocus } from '../browse/next-focus.ts'
import { PasteButton } from '../carry/paste-button.tsx'
import { nameOf } from '../entries/entry.ts'
import { visibleName } from '../entries/visible-name.ts'
import { isView } from '../files-location.ts'
import { isFiltering } from '../search/entry-filter.ts'
import { SearchBar } from '../search/search-bar.tsx'
import { SearchField } from '../search/search-field.tsx'
import { resultsName } from '../search/search-results.ts'
import { Breadcrumbs } from './breadcrumbs.tsx'
import classes from './folder-header.module.css'
import { SelectionBar } from './selection-bar.tsx'
import { useMenuButton } from './use-menu-button.ts'

/** One row with the path, the search and the view. A selection replaces it by its actions. */
export function FolderHeader({ browser }: { readonly browser: Browser }) {
  const { location, setFilter, picked, mayChange } = browser
  const { bucket, prefix } = location
  const [isBarOpen, setIsBarOpen] = useState(false)
  const isFiltered = isFiltering({ ...location, text: location.filter })
  const isSelecting = picked.selected.length > 0
  return (
    <>
      <div className={classes.row} data-selecting={isSelecting || undefined}>
        <Breadcrumbs
          {...{ bucket, prefix }}
          title={resultsName(location.scope)}
          openMenu={browser.openMenu}
        />
        {isSelecting ? (
          <SelectionBar browser={browser} />
        ) : (
          <FolderTools
            browser={browser}
            onFilters={() => setIsBarOpen(!isBarOpen)}
            onSearch={() => isNarrow() && setIsBarOpen(true)}
          />
        )}
        {bucket !== '' && (
          <>
            <PasteButton to={{ bucket, prefix }} />
            <NewButton browser={browser} isDisabled={!mayChange} />
          </>
        )}
      </div>
      {(isFiltered || isBarOpen) && <SearchBar location={location} onChange={setFilter} />}
    </>
  )
}

/** Whether the button of the filters has no room: folder-header.module.css. */
function isNarrow(): boolean {
  return window.innerWidth <= 960
}

interface FolderToolsProps {
  readonly browser: Browser
  readonly onFilters: () => void
  readonly onSearch: () => void
}

function FolderTools({ browser, onFilters, onSearch }: FolderToolsProps) {
  const { location, setFilter, layout, setLayout } = browser
  const { bucket, prefix, filter, scope = 'below' } = location
  const inView = isView(location.scope) ? resultsName(location.scope) : ''
  const name = visibleName(nameOf(prefix) || bucket || inView)
  const more = useMenuButton(browser, 'folder')
  const isList = layout === 'list'
  return (
    <>
      <SearchField
        text={filter}
        placeholder={name === '' ? filesTexts.search.everywhere : filesTexts.search.in(name)}
        onText={(text) => {
          takeNextFocus()
          setFilter({ filter: text })
        }}
        onEnter={(text) => {
          setFilter({ filter: text, scope })
          focusNextList('')
          focusGrid()
        }}
        onLeave={focusGrid}
        onFocus={onSearch}
      />
      <IconButton
        label={filesTexts.header.filters}
        variant="default"
        size={36}
        className={classes.wide ?? ''}
        onClick={onFilters}
      >
        <IconFilter size={18} />
      </IconButton>
      <IconButton
        label={isList ? filesTexts.header.grid : filesTexts.header.list}
        variant="default"
        size={36}
        onClick={() => setLayout(isList ? 'grid' : 'list')}
      >
        {isList ? <IconLayoutGrid size={18} /> : <IconList size={18} />}
      </IconButton>
      <IconButton label={filesTexts.header.folderActions} variant="default" size={36} {...more}>
        <IconDots size={18} />
      </IconButton>
    </>
  )
}

interface NewButtonProps {
  readonly browser: Browser
  readonly isDisabled: boolean
}

/** Opens the menu of what can be added. On a phone it floats above the list. */
function NewButton({ browser, isDisabled }: NewButtonProps) {
  const menu = useMenuButton(browser, 'new')
  return (
    <Button
      className={classes.new ?? ''}
      aria-label={filesTexts.header.new}
      data-new-entries
      leftSection={<IconPlus size={18} />}
      disabled={isDisabled}
      {...menu}
    >
      {filesTexts.header.new}
    </Button>
  )
}
