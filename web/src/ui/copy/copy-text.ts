/**
 * Copies text to the clipboard. Browsers offer the clipboard API only in secure contexts, so plain
 * http uses the older method.
 *
 * @returns false if the browser rejects both.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Not available, or not allowed.
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement
  // Inside an open dialog, because its focus trap takes the focus from elements outside.
  const container = focused?.closest('dialog, [role="dialog"]') ?? document.body
  const area = document.createElement('textarea')
  area.value = text
  area.readOnly = true
  area.style.setProperty('position', 'fixed')
  area.style.setProperty('opacity', '0')
  container.append(area)
  area.select()
  try {
    return document.execCommand('copy')
  } finally {
    area.remove()
    if (focused instanceof HTMLElement) focused.focus()
  }
}
