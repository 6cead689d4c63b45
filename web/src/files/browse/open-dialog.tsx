import { lazy } from 'react'
import { DeleteDialog } from '../change/delete-dialog.tsx'
import { MoveDialog } from '../change/move-dialog.tsx'
import { NewFolderDialog } from '../change/new-folder-dialog.tsx'
import { RenameDialog } from '../change/rename-dialog.tsx'
import { FolderDetailsDialog } from '../preview/folder-details-dialog.tsx'
import { HelpDialog } from './help-dialog.tsx'
import { type Browser, focusGrid } from './use-browser.ts'

const DeletedDialog = lazy(async () => {
  const { DeletedDialog } = await import('../versions/deleted-list.tsx')
  return { default: DeletedDialog }
})
const EditDialog = lazy(async () => {
  const { EditDialog } = await import('../edit/edit-dialog.tsx')
  return { default: EditDialog }
})
const SearchDialog = lazy(async () => {
  const { SearchDialog } = await import('../search/search-dialog.tsx')
  return { default: SearchDialog }
})
const ShareDialog = lazy(async () => {
  const { ShareDialog } = await import('../share/share-dialog.tsx')
  return { default: ShareDialog }
})
const ViewedFile = lazy(async () => {
  const { ViewedFile } = await import('../preview/viewed-file.tsx')
  return { default: ViewedFile }
})

/** The open dialog, or the preview if there is none. */
export function OpenDialog({ browser }: { readonly browser: Browser }) {
  const { dialog, setDialog, location } = browser
  const { bucket, prefix } = location
  const close = () => {
    setDialog(undefined)
    focusGrid()
  }
  switch (dialog?.type) {
    case undefined:
      if (location.view === undefined) return null
      return <ViewedFile browser={browser} name={location.view} />
    case 'new-folder':
      return <NewFolderDialog bucket={bucket} prefix={prefix} onClose={close} />
    case 'rename':
      return <RenameDialog bucket={bucket} entry={dialog.entry} onClose={close} />
    case 'move':
    case 'copy':
      return (
        <MoveDialog
          mode={dialog.type}
          from={{ bucket, prefix }}
          entries={dialog.entries}
          onClose={close}
        />
      )
    case 'edit':
      return <EditDialog bucket={bucket} entries={dialog.entries} onClose={close} />
    case 'delete':
      return <DeleteDialog bucket={bucket} entries={dialog.entries} onClose={close} />
    case 'share':
      return <ShareDialog bucket={bucket} objectKey={dialog.key} onClose={close} />
    case 'folder-details':
      return (
        <FolderDetailsDialog
          bucket={bucket}
          folder={dialog.folder}
          sizes={browser.sizes}
          onClose={close}
        />
      )
    case 'deleted':
      return <DeletedDialog at={{ bucket, prefix }} onClose={close} />
    case 'search':
      return <Search browser={browser} onClose={close} />
    case 'help':
      return <HelpDialog onClose={close} />
  }
}

function Search({ browser, onClose }: { readonly browser: Browser; readonly onClose: () => void }) {
  return (
    <SearchDialog
      at={browser.location}
      onClose={onClose}
      onHere={(key) => {
        browser.setFilter('')
        browser.onFocusWanted(key, true)
      }}
    />
  )
}
