import { ApiError } from '../../platform/json-api/api-error.ts'
import type { RoutingEdit } from './routing-store.ts'
import { type ItemLists, itemKeys, type RoutingItems, withoutBroken } from './stored-routing.ts'

/** The sets that can be changed item by item as a whole; connections are changed field by field. */
export type ItemSet = 'combos' | 'customModels' | 'modelAliases'

/** A set as messages name it. */
export interface ItemKind<Set extends ItemSet> {
  readonly set: Set
  /** For messages: `combo`. */
  readonly noun: string
  /** The field of the body that a client has to change if the key exists. */
  readonly keyField: string
}

/** @throws ApiError 409 if the key exists. */
export function addItem<Set extends ItemSet>(
  kind: ItemKind<Set>,
  item: RoutingItems[Set],
): RoutingEdit {
  return (state) => {
    const items: ItemLists[Set] = state[kind.set]
    assertFree(kind, items, item)
    return { ...state, [kind.set]: [...items, item] }
  }
}

/**
 * Replacing an unreadable row creates a new item.
 *
 * @throws ApiError 404 if `key` does not exist, 409 if another item has the new key.
 */
export function replaceItem<Set extends ItemSet>(
  kind: ItemKind<Set>,
  key: string,
  item: RoutingItems[Set],
): RoutingEdit {
  return (state) => {
    const healthy = withoutBroken(state, kind.set, key)
    if (healthy !== undefined) return addItem(kind, item)(healthy)
    const items: ItemLists[Set] = state[kind.set]
    const index = indexOf(kind, items, key)
    if (itemKeys[kind.set](item) !== key) assertFree(kind, items, item)
    return { ...state, [kind.set]: items.with(index, item) }
  }
}

/** @throws ApiError 404 if `key` does not exist. */
export function removeItem<Set extends ItemSet>(kind: ItemKind<Set>, key: string): RoutingEdit {
  return (state) => {
    const items: ItemLists[Set] = state[kind.set]
    return (
      withoutBroken(state, kind.set, key) ?? {
        ...state,
        [kind.set]: items.toSpliced(indexOf(kind, items, key), 1),
      }
    )
  }
}

function indexOf<Set extends ItemSet>(
  { set, noun }: ItemKind<Set>,
  items: ItemLists[Set],
  key: string,
): number {
  const index = items.findIndex((item) => itemKeys[set](item) === key)
  if (index < 0) throw new ApiError(404, `The ${noun} does not exist.`)
  return index
}

function assertFree<Set extends ItemSet>(
  { set, noun, keyField }: ItemKind<Set>,
  items: ItemLists[Set],
  item: RoutingItems[Set],
): void {
  const key = itemKeys[set](item)
  if (!items.some((other) => itemKeys[set](other) === key)) return
  throw new ApiError(409, `The ${noun} already exists.`, { field: keyField })
}
