import { useEffect } from 'react'
import type { Browser } from './use-browser.ts'

/** Keys that work wherever the focus is, except where people write and in dialogs. */
export function useBrowserKeys({ dialog, menu, setDialog }: Browser): void {
  const isBusy = dialog !== undefined || menu !== undefined
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (isBusy || event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target))
        return
      if (event.key === '/') {
        event.preventDefault()
        document.querySelector<HTMLElement>('[data-files-filter]')?.focus()
      } else if (event.key === '?') {
        event.preventDefault()
        setDialog({ type: 'help' })
      }
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [isBusy, setDialog])
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest('input, textarea, select, [role="dialog"], dialog') !== null
  )
}
