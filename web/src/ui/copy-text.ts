/**
 * Puts text into the clipboard. Browsers have the clipboard API in secure contexts only, so that on
 * plain http the older way is taken.
 *
 * @returns false when the browser refuses both.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Not there, or not allowed.
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement
  // Within an open dialog: its focus trap would take the focus away from anything outside.
  const place = focused?.closest('dialog, [role="dialog"]') ?? document.body
  const area = document.createElement('textarea')
  area.value = text
  area.readOnly = true
  area.style.setProperty('position', 'fixed')
  area.style.setProperty('opacity', '0')
  place.append(area)
  area.select()
  try {
    return document.execCommand('copy')
  } finally {
    area.remove()
    if (focused instanceof HTMLElement) focused.focus()
  }
}
