import type { FolderAddress } from '../change/move-plan.ts'
import { takePicked } from './take-uploads.ts'

type Picked = 'files' | 'folder'

/** The inputs behind the items of a menu, which is gone when the browser asks for files. */
export function UploadInputs({ to }: { readonly to: FolderAddress }) {
  const input = {
    ...{ type: 'file', multiple: true, hidden: true },
    onChange: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      takePicked(currentTarget, to),
  }
  return (
    <>
      <input data-pick="files" {...input} />
      {/* Required for browsers to offer folders. */}
      <input data-pick="folder" {...input} {...{ webkitdirectory: '' }} />
    </>
  )
}

/** Lets the user choose what to upload into the open folder. */
export function pickUploads(what: Picked): void {
  document.querySelector<HTMLInputElement>(`input[data-pick="${what}"]`)?.click()
}
