import { lazy } from 'react'
import { DeleteDialog } from '../change/delete-dialog.tsx'
import { MoveDialog } from '../change/move-dialog.tsx'
import { NewEntryDialog } from '../change/new-entry-dialog.tsx'
import { RenameDialog } from '../change/rename-dialog.tsx'
import { parentOf } from '../entries/entry.ts'
import { FolderDetailsDialog } from '../preview/folder-details-dialog.tsx'
import type { Browser } from './browser.ts'
import { HelpDialog } from './help-dialog.tsx'
import { focusGrid } from './next-focus.ts'

const DeletedDialog = lazy(async () => {
  const { DeletedDialog } = await import('../versions/deleted-list.tsx')
  return { default: DeletedDialog }
})
const EditDialog = lazy(async () => {
  const { EditDialog } = await import('../edit/edit-dialog.tsx')
  return { default: EditDialog }
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
    case 'new':
      return <NewEntryDialog what={dialog.what} browser={browser} onClose={close} />
    case 'rename':
      return <RenameDialog bucket={dialog.bucket} entry={dialog.entry} onClose={close} />
    case 'move':
    case 'copy':
      return (
        <MoveDialog
          mode={dialog.type}
          from={{ bucket: dialog.bucket, prefix: parentOf(dialog.entries[0]?.key ?? '') }}
          entries={dialog.entries}
          onClose={close}
        />
      )
    case 'edit':
      return <EditDialog bucket={dialog.bucket} entries={dialog.entries} onClose={close} />
    case 'delete':
    case 'erase':
      return (
        <DeleteDialog
          bucket={dialog.bucket}
          entries={dialog.entries}
          isForEver={dialog.type === 'erase'}
          onClose={close}
        />
      )
    case 'share':
      return <ShareDialog bucket={dialog.bucket} keys={dialog.keys} onClose={close} />
    case 'folder-details':
      return (
        <FolderDetailsDialog
          bucket={dialog.bucket}
          folder={dialog.folder}
          sizes={browser.sizes}
          onClose={close}
        />
      )
    case 'deleted':
      return <DeletedDialog at={{ bucket, prefix }} onClose={close} />
    case 'help':
      return <HelpDialog onClose={close} />
  }
}
