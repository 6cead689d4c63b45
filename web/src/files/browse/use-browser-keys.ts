import { useWindowEvent } from '@mantine/hooks'
import { type Browser, goUp } from './use-browser.ts'

/** Keys that work anywhere except in text fields and dialogs. */
export function useBrowserKeys({ dialog, menu, setDialog, location, openPrefix }: Browser): void {
  const { prefix } = location
  const isBusy = dialog !== undefined || menu !== undefined
  useWindowEvent('keydown', (event) => {
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
