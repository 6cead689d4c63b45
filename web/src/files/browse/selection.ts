/** The selected entries and the keyboard position, by id. */
export interface Selection {
  readonly selected: ReadonlySet<string>
  /** The entry that the keyboard acts on. */
  readonly active: string | undefined
  /** The start of a range, which shift extends. */
  readonly anchor: string | undefined
  /** What is selected only because it has just been added. */
  readonly revealed: ReadonlySet<string>
  /** Whether nothing has been selected since an action began, which may add entries. */
  readonly isReleased: boolean
}

export const nothingSelected: Selection = {
  selected: new Set(),
  active: undefined,
  anchor: undefined,
  revealed: new Set(),
  isReleased: false,
}

export type SelectionAction =
  /** Moves the keyboard position without selecting. */
  | { readonly type: 'activate'; readonly key: string }
  | { readonly type: 'toggle'; readonly key: string }
  | { readonly type: 'only'; readonly key: string }
  /** Selects everything from the anchor to this key, in the shown order. */
  | { readonly type: 'range'; readonly key: string; readonly order: readonly string[] }
  /** Exactly these. */
  | { readonly type: 'all'; readonly order: readonly string[] }
  | { readonly type: 'none' }
  /** An action has begun, which may add entries: they may take the place of what is selected now. */
  | { readonly type: 'release' }
  /** These entries were added, by a rename, an upload or a paste. */
  | { readonly type: 'reveal'; readonly keys: readonly string[]; readonly isMore: boolean }
  /** These entries no longer exist. */
  | { readonly type: 'drop'; readonly keys: ReadonlySet<string>; readonly order: readonly string[] }

export function reduceSelection(before: Selection, action: SelectionAction): Selection {
  if (action.type === 'release') return { ...before, isReleased: true }
  if (action.type === 'reveal') return reveal(before, action)
  if (action.type === 'drop') return drop(before, action.keys, action.order)
  const state = { ...before, revealed: nothingSelected.revealed, isReleased: false }
  switch (action.type) {
    case 'activate':
      return { ...withoutRevealed(before), active: action.key, anchor: action.key }
    case 'toggle':
      return {
        ...state,
        selected: toggled(state.selected, action.key),
        active: action.key,
        anchor: action.key,
      }
    case 'only':
      return { ...state, selected: new Set([action.key]), active: action.key, anchor: action.key }
    case 'range':
      return range(state, action.key, action.order)
    case 'all':
      return { ...state, selected: new Set(action.order) }
    case 'none':
      return { ...state, selected: new Set() }
  }
}

/** Without the entries that are selected only because they were added: moving on deselects them. */
function withoutRevealed(state: Selection): Selection {
  const { selected, revealed } = state
  if (revealed.size === 0) return state
  const kept = new Set([...selected].filter((key) => !revealed.has(key)))
  return { ...state, selected: kept, revealed: nothingSelected.revealed }
}

type Reveal = Extract<SelectionAction, { readonly type: 'reveal' }>

/** What a person has selected since the action began stays. Entries that one action adds one after the other are all selected. */
function reveal(state: Selection, { keys, isMore }: Reveal): Selection {
  const { selected, revealed, isReleased } = state
  if (!isReleased && [...selected].some((key) => !revealed.has(key))) return state
  const all = new Set([...(isMore ? selected : []), ...keys])
  const shown = { selected: all, revealed: all, isReleased: false }
  if (isMore && selected.size > 0) return { ...state, ...shown }
  return { ...shown, active: keys[0], anchor: keys[0] }
}

function toggled(selected: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(selected)
  if (!next.delete(key)) next.add(key)
  return next
}

function range(state: Selection, key: string, order: readonly string[]): Selection {
  const to = order.indexOf(key)
  const from = state.anchor === undefined ? to : order.indexOf(state.anchor)
  if (from < 0 || to < 0) return reduceSelection(state, { type: 'only', key })
  const keys = order.slice(Math.min(from, to), Math.max(from, to) + 1)
  return { ...state, selected: new Set(keys), active: key, anchor: order[from] }
}

/** If the active entry is removed, the keyboard position moves to the entry after it. */
function drop(state: Selection, keys: ReadonlySet<string>, order: readonly string[]): Selection {
  const selected = new Set([...state.selected].filter((key) => !keys.has(key)))
  if (state.active === undefined || !keys.has(state.active)) return { ...state, selected }
  const at = order.indexOf(state.active)
  const isLeft = (key: string): boolean => !keys.has(key)
  const active =
    order.slice(at + 1).find(isLeft) ?? order.slice(0, Math.max(at, 0)).findLast(isLeft)
  return { ...state, selected, active, anchor: active }
}
