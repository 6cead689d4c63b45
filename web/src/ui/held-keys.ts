import { useEffectEvent, useLayoutEffect } from 'react'
import { HeldText } from './held-text.ts'

const held = new HeldText()

/** Reloading, developer tools, and leaving the page by keyboard stay possible. */
const notForDialog = /^(?:F\d+|Tab)$/

/**
 * Shown instead of a dialog that is loading: keeps what is typed for its first field. Nothing else on the page gets a key:
 * Delete is meant for a letter of the name, not for the file.
 */
export function HeldKeys({ onCancel }: { readonly onCancel: () => void }): null {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey } = event
    if (ctrlKey || metaKey || altKey || notForDialog.test(key)) return
    event.preventDefault()
    event.stopPropagation()
    if (key === 'Escape') onCancel()
    else held.press(key)
  })
  useLayoutEffect(() => {
    held.begin()
    const listener = (event: KeyboardEvent) => onKey(event)
    window.addEventListener('keydown', listener, true)
    return () => {
      window.removeEventListener('keydown', listener, true)
      held.end()
    }
  }, [])
  return null
}

/** Writes it into a field that has the focus, in place of what is selected there, and submits its form after Enter. */
export function typeHeldKeys(input: HTMLInputElement): void {
  const { text, isEntered } = held.take()
  if (text !== undefined) {
    const { selectionStart, selectionEnd } = input
    input.setRangeText(text, selectionStart ?? 0, selectionEnd ?? 0, 'end')
    input.dispatchEvent(new Event('input', { bubbles: true }))
  }
  // The form does not know the text before the next task.
  if (isEntered) setTimeout(() => input.form?.requestSubmit())
}
