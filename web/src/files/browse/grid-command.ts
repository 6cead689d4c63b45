/** The command for a key pressed in the file list. */
export type GridCommand =
  | {
      readonly type: 'move'
      readonly to: 'previous' | 'next' | 'page-up' | 'page-down' | 'first' | 'last'
      readonly extends: boolean
    }
  | { readonly type: 'open' | 'up' | 'toggle' | 'all' | 'none' | 'delete' | 'rename' | 'menu' }

interface PressedKey {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly shiftKey: boolean
  readonly altKey: boolean
}

const moves = {
  ArrowUp: 'previous',
  ArrowDown: 'next',
  PageUp: 'page-up',
  PageDown: 'page-down',
  Home: 'first',
  End: 'last',
} as const

const plain = {
  Enter: 'open',
  Backspace: 'up',
  ' ': 'toggle',
  Escape: 'none',
  Delete: 'delete',
  F2: 'rename',
  ContextMenu: 'menu',
} as const

/** Undefined if the key has no meaning in the list. */
export function gridCommand(pressed: PressedKey): GridCommand | undefined {
  const { key, ctrlKey, metaKey, shiftKey, altKey } = pressed
  if (altKey) return undefined
  if (ctrlKey || metaKey)
    return key.toLowerCase() === 'a' && !shiftKey ? { type: 'all' } : undefined
  if (Object.hasOwn(moves, key)) {
    return { type: 'move', to: moves[key as keyof typeof moves], extends: shiftKey }
  }
  if (key === 'F10' && shiftKey) return { type: 'menu' }
  if (shiftKey || !Object.hasOwn(plain, key)) return undefined
  return { type: plain[key as keyof typeof plain] }
}

interface MoveBounds {
  /** The index of the active row; -1: none. */
  readonly index: number
  readonly count: number
  /** The number of rows per page. */
  readonly page: number
}

/** The target row of a move; -1 if there is none. */
export function movedIndex(
  to: Extract<GridCommand, { type: 'move' }>['to'],
  { index, count, page }: MoveBounds,
): number {
  const last = count - 1
  const targets = {
    previous: index < 0 ? last : index - 1,
    next: index + 1,
    'page-up': index - page,
    'page-down': index + page,
    first: 0,
    last,
  }
  return Math.min(Math.max(targets[to], 0), last)
}

export const shortcuts: readonly (readonly [keys: string, what: string])[] = [
  ['↑ ↓ Home End', 'Move through the list'],
  ['Enter', 'Open the folder or file'],
  ['Backspace', 'Go up one folder'],
  ['Space', 'Select or unselect'],
  ['Shift + ↑ ↓', 'Select a range'],
  ['Ctrl + A', 'Select all'],
  ['Esc', 'Clear selection'],
  ['F2', 'Rename'],
  ['Delete', 'Delete'],
  ['Shift + F10, Menu', 'Show all actions'],
  ['/', 'Filter'],
  ['?', 'Show shortcuts'],
]
