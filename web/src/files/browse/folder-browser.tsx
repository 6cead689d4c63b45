import { PageTitle } from '../../ui/page-title.tsx'
import { nameOf } from '../entries/entry.ts'
import { visibleName } from '../entries/visible-name.ts'
import { DropZone } from '../upload/drop-zone.tsx'
import { takeDropped } from '../upload/take-uploads.ts'
import type { FilesNavigation } from '../use-files-location.ts'
import { Breadcrumbs } from './breadcrumbs.tsx'
import { BrowserDialogs } from './browser-dialogs.tsx'
import { BrowserToolbar } from './browser-toolbar.tsx'
import { EntryMenu } from './entry-menu.tsx'
import classes from './folder-browser.module.css'
import { FolderContents } from './folder-contents.tsx'
import { ListingStatus } from './listing-status.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { type BucketLocation, useBrowser } from './use-browser.ts'
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
          <FolderContents browser={browser} />
          <ListingStatus browser={browser} />
        </section>
      </div>
      <EntryMenu browser={browser} />
      <BrowserDialogs browser={browser} />
    </DropZone>
  )
}
