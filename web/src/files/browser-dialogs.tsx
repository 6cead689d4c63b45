import { lazy, Suspense } from 'react'
import { DeleteDialog } from './delete-dialog.tsx'
import { FolderDetailsDialog } from './folder-details-dialog.tsx'
import { HelpDialog } from './help-dialog.tsx'
import { MoveDialog } from './move-dialog.tsx'
import { NewFolderDialog } from './new-folder-dialog.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import { ShareDialog } from './share-dialog.tsx'
import { type Browser, focusGrid } from './use-browser.ts'

const ObjectView = lazy(async () => {
  const { ObjectView } = await import('./object-view.tsx')
  return { default: ObjectView }
})

/** The dialog that is open, if one is. */
export function BrowserDialogs({ browser }: { readonly browser: Browser }) {
  const { dialog, setDialog, location, entries, act } = browser
  const { bucket, prefix } = location
  const close = () => {
    setDialog(undefined)
    focusGrid()
  }
  switch (dialog?.type) {
    case undefined:
      return null
    case 'new-folder':
      return <NewFolderDialog bucket={bucket} prefix={prefix} onClose={close} />
    case 'rename':
      return <RenameDialog bucket={bucket} entry={dialog.entry} onClose={close} />
    case 'move':
      return <MoveDialog from={{ bucket, prefix }} entries={dialog.entries} onClose={close} />
    case 'delete':
      return <DeleteDialog bucket={bucket} entries={dialog.entries} onClose={close} />
    case 'share':
      return <ShareDialog bucket={bucket} objectKey={dialog.key} onClose={close} />
    case 'folder-details':
      return <FolderDetailsDialog bucket={bucket} folder={dialog.folder} onClose={close} />
    case 'help':
      return <HelpDialog onClose={close} />
    case 'view':
      return (
        <Suspense fallback={null}>
          <ObjectView
            bucket={bucket}
            file={dialog.file}
            entries={entries}
            onShow={(file) => setDialog({ type: 'view', file })}
            onAct={(action, file) => act(action, [file])}
            onClose={close}
          />
        </Suspense>
      )
  }
}
