import { useWindowEvent } from '@mantine/hooks'
import { pasteInto } from '../carry/clipboard.ts'
import { focusSearch, isWriting, nameOfKeys } from '../search/search-keys.ts'
import { jobs } from '../transfers/transfers.ts'
import { takeDropped } from '../upload/take-uploads.ts'
import type { Browser } from './browser.ts'
import { goUp } from './use-commands.ts'

/** Keys that work anywhere except in text fields and dialogs. */
export function useBrowserKeys(browser: Browser): void {
  const { dialog, menu, setDialog, location, openPrefix, mayChange } = browser
  const { bucket, prefix } = location
  const isBusy = dialog !== undefined || menu !== undefined
  useWindowEvent('paste', (event) => {
    const { clipboardData, target } = event
    if (isBusy || !mayChange || clipboardData === null || isWriting(target)) return
    event.preventDefault()
    if (clipboardData.files.length > 0) takeDropped(clipboardData, { bucket, prefix })
    else pasteInto({ bucket, prefix }, clipboardData.getData('text/plain'))
  })
  useWindowEvent('keydown', (event) => {
    const name = nameOfKeys(event)
    // The viewer is a dialog without a form.
    const isUndo = name === 'ctrl+z' && location.view !== undefined && !isField(event.target)
    if (isBusy || (name !== 'ctrl+k' && !isUndo && isWriting(event.target))) return
    // Also works in an empty folder, which has no list.
    if (name === 'Backspace' && !event.defaultPrevented) goUp(prefix, openPrefix)
    const command = commands[name]
    if (command?.(setDialog)) event.preventDefault()
  })
}

/** Each returns whether to prevent the browser's default action for the key. */
const commands: Readonly<Record<string, (setDialog: Browser['setDialog']) => boolean>> = {
  'ctrl+z': () => jobs.undo(),
  'ctrl+k': focusSearch,
  '/': focusSearch,
  '?': (setDialog) => {
    setDialog({ type: 'help' })
    return true
  },
}

function isField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea') !== null
}
