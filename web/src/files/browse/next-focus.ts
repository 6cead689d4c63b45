/** After keyboard navigation to another folder, its list takes the focus at this entry. */
let wanted: string | undefined

/** @param key '' is the first entry. */
export function focusNextList(key: string): void {
  wanted = key
}

/** Returns the requested focus once; undefined if there is none. */
export function takeNextFocus(): string | undefined {
  const key = wanted
  wanted = undefined
  return key
}
