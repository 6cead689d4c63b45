import { Suspense, useEffect } from 'react'
import { filesTexts } from '../../texts/files.ts'
import { HeldKeys } from '../../ui/held-keys.ts'
import { PageTitle } from '../../ui/page-title.tsx'
import { nameOf } from '../entries/entry.ts'
import { visibleName } from '../entries/visible-name.ts'
import { FolderSizesContext } from '../folder-sizes/folder-sizes.ts'
import { FolderHeader } from '../header/folder-header.tsx'
import { resultsName } from '../search/search-results.ts'
import { useNoteOpened } from '../stars/use-note-opened.ts'
import { DropZone } from '../upload/drop-zone.tsx'
import { takeDropped } from '../upload/take-uploads.ts'
import { UploadInputs } from '../upload/upload-inputs.tsx'
import type { FilesNavigation } from '../use-files-location.ts'
import type { Browser, BucketLocation } from './browser.ts'
import classes from './folder-browser.module.css'
import { FolderContents } from './folder-contents.tsx'
import { ListingStatus } from './listing-status.tsx'
import { EntryMenu, FolderMenu, loadOverlays, OpenOverlays } from './overlays.ts'
import { useBrowser } from './use-browser.ts'
import { useBrowserKeys } from './use-browser-keys.ts'
import { usePlace } from './use-place.ts'

interface FolderBrowserProps {
  readonly location: BucketLocation
  readonly navigation: Omit<FilesNavigation, 'location'>
}

/** A folder with its contents and actions. */
export function FolderBrowser({ location, navigation }: FolderBrowserProps) {
  const browser = useBrowser(location, navigation)
  const { bucket, prefix } = location
  useBrowserKeys(browser)
  usePlace(browser)
  useNoteOpened(location)
  const name = visibleName(nameOf(prefix) || bucket || resultsName(location.scope))
  return (
    <DropZone
      onDrop={(data) => takeDropped(data, { bucket, prefix })}
      folderName={name}
      isDisabled={!browser.mayChange}
    >
      <PageTitle title={location.view === undefined ? name : visibleName(nameOf(location.view))} />
      <div className={classes.page}>
        <FolderHeader browser={browser} />
        <section
          className={classes.frame}
          aria-label={filesTexts.contents}
          data-stale={browser.listing.isStale || undefined}
          onContextMenu={(event) => {
            // Rows have a menu of their own, and texts that of the browser.
            const isEmpty = !(event.target as Element).closest(
              '[data-entry], [role="status"], input',
            )
            if (event.isDefaultPrevented() || !isEmpty) return
            event.preventDefault()
            browser.openMenu({ type: 'folder', x: event.clientX, y: event.clientY })
          }}
        >
          <FolderSizesContext value={browser.sizes}>
            <FolderContents browser={browser} />
          </FolderSizesContext>
          <ListingStatus browser={browser} />
        </section>
      </div>
      <UploadInputs to={{ bucket, prefix }} />
      <Overlays browser={browser} />
    </DropZone>
  )
}

/** The first signs that a menu or a dialog may be opened soon. */
const signsOfUse = ['pointermove', 'pointerdown', 'keydown'] as const

/** The open menu, dialog or preview. */
function Overlays({ browser }: { readonly browser: Browser }) {
  const { menu, dialog, setDialog, location, listing } = browser
  const isListed = listing.status !== 'loading'
  useEffect(() => {
    if (!isListed) return
    const wanted = new AbortController()
    const load = () => {
      wanted.abort()
      void loadOverlays()
    }
    for (const sign of signsOfUse) window.addEventListener(sign, load, { signal: wanted.signal })
    return () => wanted.abort()
  }, [isListed])
  return (
    <Suspense fallback={dialog !== undefined && <HeldKeys onCancel={() => setDialog(undefined)} />}>
      {menu?.type === 'entries' && <EntryMenu browser={browser} menu={menu} />}
      {menu !== undefined && menu.type !== 'entries' && (
        <FolderMenu browser={browser} menu={menu} />
      )}
      {(dialog !== undefined || location.view !== undefined) && <OpenOverlays browser={browser} />}
    </Suspense>
  )
}
