/**
 * Who goes to another folder by keyboard wants to go on there by keyboard: the list of that folder
 * takes the focus, at this entry.
 */
let wanted: string | undefined

/** @param key '' is the first entry. */
export function focusNextList(key: string): void {
  wanted = key
}

/** What was wanted, once; undefined: nothing. */
export function takeNextFocus(): string | undefined {
  const key = wanted
  wanted = undefined
  return key
}
