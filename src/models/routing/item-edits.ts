import { ApiError } from '../../json-api/api-error.ts'
import type { Combo, CustomModel } from '../routing-inputs.ts'
import type { ComboInput, CustomModelInput } from './routing-schemas.ts'
import { customModelKey, type ModelAlias } from './stored-routing.ts'

/** A list of items with unique keys. */
export interface ItemKind<Item> {
  /** For messages: `combo`. */
  readonly noun: string
  readonly keyOf: (item: Item) => string
  /** The field of the body that a client has to change if the key exists. */
  readonly keyField: string
}

export const comboKind: ItemKind<Combo> = {
  noun: 'combo',
  keyOf: ({ name }) => name,
  keyField: 'name',
}

export const customModelKind: ItemKind<CustomModel> = {
  noun: 'custom model',
  keyOf: customModelKey,
  keyField: 'id',
}

export const modelAliasKind: ItemKind<ModelAlias> = {
  noun: 'model alias',
  keyOf: ({ name }) => name,
  keyField: 'name',
}

/** @throws ApiError 409 if the key exists. */
export function addItem<Item>(
  kind: ItemKind<Item>,
  items: readonly Item[],
  item: Item,
): readonly Item[] {
  assertFree(kind, items, item)
  return [...items, item]
}

/** @throws ApiError 404 if `key` does not exist, 409 if another item has the new key. */
export function replaceItem<Item>(
  kind: ItemKind<Item>,
  items: readonly Item[],
  { key, item }: { readonly key: string; readonly item: Item },
): readonly Item[] {
  const index = indexOf(kind, items, key)
  if (kind.keyOf(item) !== key) assertFree(kind, items, item)
  return items.with(index, item)
}

/** @throws ApiError 404 if `key` does not exist. */
export function removeItem<Item>(
  kind: ItemKind<Item>,
  items: readonly Item[],
  key: string,
): readonly Item[] {
  return items.toSpliced(indexOf(kind, items, key), 1)
}

export function comboOf({ name, kind, models }: ComboInput): Combo {
  return { name, kind: kind ?? undefined, models: models ?? undefined }
}

export function customModelOf({ id, providerAlias, type, name }: CustomModelInput): CustomModel {
  return { id, providerAlias, type: type ?? undefined, name: name ?? undefined }
}

function indexOf<Item>({ noun, keyOf }: ItemKind<Item>, items: readonly Item[], key: string) {
  const index = items.findIndex((item) => keyOf(item) === key)
  if (index < 0) throw new ApiError(404, `The ${noun} does not exist.`)
  return index
}

function assertFree<Item>(kind: ItemKind<Item>, items: readonly Item[], item: Item): void {
  const key = kind.keyOf(item)
  if (!items.some((other) => kind.keyOf(other) === key)) return
  throw new ApiError(409, `The ${kind.noun} already exists.`, { field: kind.keyField })
}
