/** The command for a key pressed in the file list. */
export type GridCommand =
  | {
      readonly type: 'move'
      readonly to: 'previous' | 'next' | 'page-up' | 'page-down' | 'first' | 'last'
      readonly extends: boolean
    }
  /** A letter of a name. */
  | { readonly type: 'type'; readonly letter: string }
  | { readonly type: 'cut' | 'copy' }
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

const withControl = { a: 'all', x: 'cut', c: 'copy' } as const

/** Undefined if the key has no meaning in the list. */
export function gridCommand(pressed: PressedKey): GridCommand | undefined {
  const { key, ctrlKey, metaKey, shiftKey, altKey } = pressed
  if (altKey) return undefined
  if (ctrlKey || metaKey) {
    const letter = key.toLowerCase()
    if (shiftKey || !Object.hasOwn(withControl, letter)) return undefined
    return { type: withControl[letter as keyof typeof withControl] }
  }
  if (Object.hasOwn(moves, key)) {
    return { type: 'move', to: moves[key as keyof typeof moves], extends: shiftKey }
  }
  if (key === 'F10' && shiftKey) return { type: 'menu' }
  if (!shiftKey && Object.hasOwn(plain, key)) return { type: plain[key as keyof typeof plain] }
  // `/` and `?` work everywhere; names of other keys are longer.
  return Array.from(key).length === 1 && !' /?'.includes(key)
    ? { type: 'type', letter: key }
    : undefined
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
  ['A … Z, 0 … 9', 'Go to the name that begins so'],
  ['Enter', 'Open the folder or file'],
  ['Backspace', 'Go up one folder'],
  ['Space', 'Select or unselect'],
  ['Shift + ↑ ↓', 'Select a range'],
  ['Ctrl + A', 'Select all'],
  ['Esc', 'Clear selection'],
  ['Ctrl + X, Ctrl + C', 'Cut, copy'],
  ['Ctrl + V', 'Paste here; uploads files from other programs'],
  ['Ctrl + Z', 'Undo the last move, rename or deletion'],
  ['F2', 'Rename'],
  ['Delete', 'Delete'],
  ['Shift + F10, Menu', 'Show all actions'],
  ['Ctrl + K', 'Search in this folder and below, or everywhere'],
  ['/', 'Filter'],
  ['?', 'Show shortcuts'],
]
