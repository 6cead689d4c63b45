import { type Dispatch, useMemo, useReducer } from 'react'
import { type Entry, entryId } from '../entries/entry.ts'
import {
  nothingSelected,
  reduceSelection,
  type Selection,
  type SelectionAction,
} from './selection.ts'

export interface ShownSelection {
  readonly selection: Selection
  readonly dispatch: Dispatch<SelectionAction>
  /** The selected entries among the shown ones, in order. */
  readonly selected: readonly Entry[]
  /** -1: no active row. */
  readonly activeIndex: number
  /** The ids of the shown entries. */
  readonly keys: readonly string[]
}

export function useSelection(entries: readonly Entry[]): ShownSelection {
  const [selection, dispatch] = useReducer(reduceSelection, nothingSelected)
  const keys = useMemo(() => entries.map(entryId), [entries])
  const selected = useMemo(
    () =>
      selection.selected.size === 0
        ? []
        : entries.filter((entry) => selection.selected.has(entryId(entry))),
    [entries, selection.selected],
  )
  const activeIndex = useMemo(
    () => (selection.active === undefined ? -1 : keys.indexOf(selection.active)),
    [keys, selection.active],
  )
  return { selection, dispatch, selected, activeIndex, keys }
}
