import { Suspense, useEffect } from 'react'
import { PageTitle } from '../../ui/page-title.tsx'
import { nameOf } from '../entries/entry.ts'
import { visibleName } from '../entries/visible-name.ts'
import { FolderSizesContext } from '../folder-sizes/folder-sizes.ts'
import { DropZone } from '../upload/drop-zone.tsx'
import { takeDropped } from '../upload/take-uploads.ts'
import type { FilesNavigation } from '../use-files-location.ts'
import { Breadcrumbs } from './breadcrumbs.tsx'
import { BrowserToolbar } from './browser-toolbar.tsx'
import classes from './folder-browser.module.css'
import { FolderContents } from './folder-contents.tsx'
import { ListingStatus } from './listing-status.tsx'
import { EntryMenu, loadOverlays, OpenDialog } from './overlays.ts'
import { SelectionBar } from './selection-bar.tsx'
import { type Browser, type BucketLocation, useBrowser } from './use-browser.ts'
import { useBrowserKeys } from './use-browser-keys.ts'

interface FolderBrowserProps {
  readonly location: BucketLocation
  readonly navigation: Omit<FilesNavigation, 'location'>
}

/** A folder with its contents and actions. */
export function FolderBrowser({ location, navigation }: FolderBrowserProps) {
  const browser = useBrowser(location, navigation)
  const { bucket, prefix } = location
  useBrowserKeys(browser)
  const isSelecting = browser.picked.selected.length > 0
  const name = visibleName(prefix === '' ? bucket : nameOf(prefix))
  return (
    <DropZone
      onDrop={(data) => takeDropped(data, { bucket, prefix })}
      folderName={visibleName(nameOf(prefix) || bucket)}
    >
      <PageTitle title={name} />
      <div className={classes.page}>
        <div className={classes.top} data-selecting={isSelecting || undefined}>
          <Breadcrumbs bucket={bucket} prefix={prefix} />
          {isSelecting && <SelectionBar browser={browser} />}
        </div>
        <BrowserToolbar browser={browser} />
        <section
          className={classes.frame}
          aria-label="Contents"
          data-stale={browser.listing.isStale || undefined}
        >
          <FolderSizesContext value={browser.sizes}>
            <FolderContents browser={browser} />
          </FolderSizesContext>
          <ListingStatus browser={browser} />
        </section>
      </div>
      <Overlays browser={browser} />
    </DropZone>
  )
}

/** The open menu, dialog or preview. */
function Overlays({ browser }: { readonly browser: Browser }) {
  const { menu, dialog, location, listing } = browser
  const isListed = listing.status !== 'loading'
  useEffect(() => {
    if (isListed) void loadOverlays()
  }, [isListed])
  return (
    <Suspense fallback={null}>
      {menu !== undefined && <EntryMenu browser={browser} menu={menu} />}
      {(dialog !== undefined || location.view !== undefined) && <OpenDialog browser={browser} />}
    </Suspense>
  )
}
