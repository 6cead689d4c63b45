type Move =
  | ('previous' | 'next' | 'row-up' | 'row-down')
  | ('page-up' | 'page-down' | 'first' | 'last')

/** The number of columns, and of entries in view. */
export interface GridShape {
  readonly columns: number
  readonly page: number
}

/** The command for a key pressed in the file list. */
export type GridCommand =
  | {
      readonly type: 'move'
      readonly to: Move
      readonly extends: boolean
    }
  /** A letter of a name. */
  | { readonly type: 'type'; readonly letter: string }
  | { readonly type: 'cut' | 'copy' }
  | { readonly type: 'open' | 'up' | 'toggle' | 'all' | 'none' | 'rename' | 'menu' | 'details' }
  | { readonly type: 'delete' | 'erase' }

interface PressedKey {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly shiftKey: boolean
  readonly altKey: boolean
}

const moves = {
  ArrowUp: 'row-up',
  ArrowDown: 'row-down',
  PageUp: 'page-up',
  PageDown: 'page-down',
  Home: 'first',
  End: 'last',
} as const

const sideways = { ArrowLeft: 'previous', ArrowRight: 'next' } as const

const plain = {
  Enter: 'open',
  Backspace: 'up',
  ' ': 'toggle',
  Escape: 'none',
  Delete: 'delete',
  F2: 'rename',
  ContextMenu: 'menu',
} as const

const withControl = { a: 'all', x: 'cut', c: 'copy', i: 'details' } as const

/** Undefined if the key has no meaning in the list. */
export function gridCommand(
  pressed: PressedKey,
  { columns }: Pick<GridShape, 'columns'>,
): GridCommand | undefined {
  const { key, ctrlKey, metaKey, shiftKey, altKey } = pressed
  if (altKey) return undefined
  if (ctrlKey || metaKey) {
    const letter = key.toLowerCase()
    if (shiftKey || !Object.hasOwn(withControl, letter)) return undefined
    return { type: withControl[letter as keyof typeof withControl] }
  }
  const to = moveOf(key, columns)
  if (to !== undefined) return { type: 'move', to, extends: shiftKey }
  if (key === 'F10' && shiftKey) return { type: 'menu' }
  if (key === 'Delete' && shiftKey) return { type: 'erase' }
  if (!shiftKey && Object.hasOwn(plain, key)) return { type: plain[key as keyof typeof plain] }
  // `/` and `?` work everywhere; names of other keys are longer.
  return Array.from(key).length === 1 && !' /?'.includes(key)
    ? { type: 'type', letter: key }
    : undefined
}

/** In a list, the left and right arrows do nothing. */
function moveOf(key: string, columns: number): Move | undefined {
  const known = columns > 1 ? { ...moves, ...sideways } : moves
  return Object.hasOwn(known, key) ? known[key as keyof typeof known] : undefined
}

interface MoveBounds extends GridShape {
  /** The index of the active entry; -1: none. */
  readonly index: number
  readonly count: number
}

/** The target entry of a move; -1 if there is none. */
export function movedIndex(to: Move, { index, count, columns, page }: MoveBounds): number {
  const last = count - 1
  const isInLastRow = Math.floor(index / columns) === Math.floor(last / columns)
  const targets = {
    previous: index < 0 ? last : index - 1,
    next: index + 1,
    'row-up': index < 0 ? last : index < columns ? index : index - columns,
    'row-down': index < 0 ? 0 : isInLastRow ? index : index + columns,
    'page-up': index - page,
    'page-down': index + page,
    first: 0,
    last,
  }
  return Math.min(Math.max(targets[to], 0), last)
}
