import { lazy } from 'react'
import { DeleteDialog } from '../change/delete-dialog.tsx'
import { MoveDialog } from '../change/move-dialog.tsx'
import { NewEntryDialog } from '../change/new-entry-dialog.tsx'
import { RenameDialog } from '../change/rename-dialog.tsx'
import { parentOf } from '../entries/entry.ts'
import { FileDetails } from '../preview/file-details.tsx'
import { FolderDetails } from '../preview/folder-details.tsx'
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
const TextEditor = lazy(async () => {
  const { TextEditor } = await import('../edit/text-editor.tsx')
  return { default: TextEditor }
})
const ViewedFile = lazy(async () => {
  const { ViewedFile } = await import('../preview/viewed-file.tsx')
  return { default: ViewedFile }
})

/** The preview, and the open dialog over it. */
export function OpenOverlays({ browser }: { readonly browser: Browser }) {
  return (
    <>
      {browser.location.view !== undefined && <ViewedFile browser={browser} />}
      <OpenDialog browser={browser} />
    </>
  )
}

function OpenDialog({ browser }: { readonly browser: Browser }) {
  const { dialog, setDialog, location } = browser
  const close = () => {
    setDialog(undefined)
    if (location.view === undefined) focusGrid()
  }
  switch (dialog?.type) {
    case undefined:
      return null
    case 'new':
      return <NewEntryDialog what={dialog.kind} browser={browser} onClose={close} />
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
      return <DeleteDialog {...dialog} isForEver={dialog.type === 'erase'} onClose={close} />
    case 'share':
      return <ShareDialog bucket={dialog.bucket} keys={dialog.keys} onClose={close} />
    case 'write':
      return <TextEditor bucket={dialog.bucket} file={dialog.file} onClose={close} />
    case 'details':
      return <FileDetails bucket={dialog.bucket} file={dialog.file} onClose={close} />
    case 'folder-details':
      return (
        <FolderDetails
          bucket={dialog.bucket}
          folder={dialog.folder}
          sizes={browser.sizes}
          onClose={close}
        />
      )
    case 'deleted':
      return <DeletedDialog at={location} onClose={close} />
    case 'help':
      return <HelpDialog onClose={close} />
  }
}
