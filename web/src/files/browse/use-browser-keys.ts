import { useWindowEvent } from '@mantine/hooks'
import { pasteInto } from '../carry/clipboard.ts'
import { jobs } from '../transfers/transfers.ts'
import { takeDropped } from '../upload/take-uploads.ts'
import { type Browser, goUp } from './use-browser.ts'

/** Keys that work anywhere except in text fields and dialogs. */
export function useBrowserKeys({ dialog, menu, setDialog, location, openPrefix }: Browser): void {
  const { bucket, prefix } = location
  const isBusy = dialog !== undefined || menu !== undefined
  useWindowEvent('paste', (event) => {
    const { clipboardData, target } = event
    if (isBusy || clipboardData === null || isWriting(target)) return
    event.preventDefault()
    if (clipboardData.files.length > 0) takeDropped(clipboardData, { bucket, prefix })
    else pasteInto({ bucket, prefix }, clipboardData.getData('text/plain'))
  })
  useWindowEvent('keydown', (event) => {
    if (!isBusy && isUndo(event) && !isWriting(event.target) && jobs.undo()) event.preventDefault()
    if (isBusy || event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return
    if (event.key === '/') {
      event.preventDefault()
      focusFilter()
    } else if (event.key === '?') {
      event.preventDefault()
      setDialog({ type: 'help' })
    } else if (event.key === 'Backspace' && !event.defaultPrevented) {
      // Also works in an empty folder, which has no list.
      goUp(prefix, openPrefix)
    }
  })
}

function isUndo({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'z' && (ctrlKey || metaKey) && !shiftKey && !altKey
}

export function focusFilter(): void {
  document.querySelector<HTMLElement>('[data-files-filter]')?.focus()
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest('input:not([type="checkbox"]), textarea, select, [role="dialog"], dialog') !==
      null
  )
}
