interface NextFocus {
  /** '' is the first entry. */
  readonly key: string
  readonly isSelected: boolean
}

/** After keyboard navigation to another folder, its list takes the focus at this entry. */
let wanted: NextFocus | undefined

/** @param key '' is the first entry. */
export function focusNextList(key: string, isSelected = false): void {
  wanted = { key, isSelected }
}

/** Returns the requested focus once; undefined if there is none. */
export function takeNextFocus(): NextFocus | undefined {
  const focus = wanted
  wanted = undefined
  return focus
}

/** Returns the focus to the list. */
export function focusGrid(): void {
  document.querySelector<HTMLElement>('[data-files-grid]')?.focus({ preventScroll: true })
}
