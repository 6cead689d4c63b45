/** The selected entries and the keyboard position, by id. */
export interface Selection {
  readonly selected: ReadonlySet<string>
  /** The entry that the keyboard acts on. */
  readonly active: string | undefined
  /** The start of a range, which shift extends. */
  readonly anchor: string | undefined
}

export const nothingSelected: Selection = {
  selected: new Set(),
  active: undefined,
  anchor: undefined,
}

export type SelectionAction =
  /** Moves the keyboard position without selecting. */
  | { readonly type: 'activate'; readonly key: string }
  | { readonly type: 'toggle'; readonly key: string }
  | { readonly type: 'only'; readonly key: string }
  /** Selects everything from the anchor to this key, in the shown order. */
  | { readonly type: 'range'; readonly key: string; readonly order: readonly string[] }
  | { readonly type: 'all'; readonly order: readonly string[] }
  | { readonly type: 'none' }
  /** These entries no longer exist. */
  | { readonly type: 'drop'; readonly keys: ReadonlySet<string>; readonly order: readonly string[] }

export function reduceSelection(state: Selection, action: SelectionAction): Selection {
  switch (action.type) {
    case 'activate':
      return { ...state, active: action.key, anchor: action.key }
    case 'toggle':
      return {
        selected: toggled(state.selected, action.key),
        active: action.key,
        anchor: action.key,
      }
    case 'only':
      return { selected: new Set([action.key]), active: action.key, anchor: action.key }
    case 'range':
      return range(state, action.key, action.order)
    case 'all':
      return { ...state, selected: new Set(action.order) }
    case 'none':
      return { ...state, selected: new Set() }
    case 'drop':
      return drop(state, action.keys, action.order)
  }
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
  return { selected: new Set(keys), active: key, anchor: order[from] }
}

/** If the active entry is removed, the keyboard position moves to the entry after it. */
function drop(state: Selection, keys: ReadonlySet<string>, order: readonly string[]): Selection {
  const selected = new Set([...state.selected].filter((key) => !keys.has(key)))
  if (state.active === undefined || !keys.has(state.active)) return { ...state, selected }
  const at = order.indexOf(state.active)
  const isLeft = (key: string): boolean => !keys.has(key)
  const active =
    order.slice(at + 1).find(isLeft) ?? order.slice(0, Math.max(at, 0)).findLast(isLeft)
  return { selected, active, anchor: active }
}
