/** `Z`, or `ctrl+z` for Control and for Command on a Mac. Shift is part of the character, as in `?`. */
export function nameOfKeys({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): string {
  if (altKey || (shiftKey && (ctrlKey || metaKey))) return ''
  return ctrlKey || metaKey ? `ctrl+${key.toLowerCase()}` : key
}

export function focusSearch(): boolean {
  document.querySelector<HTMLElement>('[data-files-search]')?.focus()
  return true
}

export function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest(
      'input:not([type="checkbox"], [type="radio"]), textarea, select, [role="dialog"], dialog',
    ) !== null
  )
}
