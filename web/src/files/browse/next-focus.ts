interface NextFocus {
  /** '' is the first entry. */
  readonly key: string
  readonly isSelected: boolean
  /** How far the list was scrolled, in pixels; undefined: as far as the entry needs. */
  readonly top?: number
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

/** The entry that the next list takes the focus at where it was left; undefined if it is not known where that is. */
export function entryOfPlace(): string | undefined {
  return wanted?.top === undefined ? undefined : wanted.key
}

/** Returns the focus to the list. */
export function focusGrid(): void {
  document.querySelector<HTMLElement>('[data-files-grid]')?.focus({ preventScroll: true })
}

/** The places that were left, by the entry of the history in which they were. */
const places = new Map<string, NextFocus>()
const mostPlaces = 200
let entries = 0

/** Identifies the current entry of the history. Its state keeps the mark: only Back and Forward lead to it again. */
export function markEntry(): string {
  const state = history.state as { readonly place?: unknown } | null
  if (typeof state?.place === 'string') return state.place
  entries += 1
  const place = `${performance.timeOrigin} ${entries}`
  history.replaceState({ ...state, place }, '')
  return place
}

/** Remembers where the list was left. */
export function leavePlace(entry: string, place: NextFocus): void {
  places.delete(entry)
  places.set(entry, place)
  const [oldest] = places.keys()
  if (places.size > mostPlaces && oldest !== undefined) places.delete(oldest)
}

/** After Back or Forward, the next list takes the focus where it was left. */
export function returnToPlace(): void {
  wanted = places.get((history.state as { readonly place?: string } | null)?.place ?? '') ?? wanted
}
