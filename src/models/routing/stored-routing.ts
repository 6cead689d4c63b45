import { ApiError, jsonPath } from '../../platform/json-api/api-error.ts'
import type {
  Combo,
  Connection,
  CustomModel,
  ProviderSpecificData,
} from '../list/routing-inputs.ts'
import type { RoutingRow, RoutingRows, RoutingSet } from './routing-table.ts'

/** A connection as stored in the database. */
export interface StoredConnection
  extends Omit<Connection, 'apiKey' | 'isActive' | 'priority' | 'providerSpecificData'> {
  readonly isActive: boolean
  readonly priority?: number | undefined
  /** The encrypted key; undefined without a key. */
  readonly sealedKey?: string | undefined
  /** Its header fields with encrypted values; undefined without a field. */
  readonly sealedHeaders?: Readonly<Record<string, string>> | undefined
  readonly providerSpecificData?: Omit<ProviderSpecificData, 'headers'> | undefined
}

/** An alias name for `<alias>/<model_id>`. */
export interface ModelAlias {
  readonly name: string
  readonly target: string
}

/** An unreadable row. It is kept until it is replaced or deleted. */
export interface BrokenRow extends RoutingRow {
  readonly set: RoutingSet
}

/** The item type of each set. */
export interface RoutingItems {
  readonly connections: StoredConnection
  readonly combos: Combo
  readonly customModels: CustomModel
  readonly modelAliases: ModelAlias
}

/** The items of each set, in their order. */
export type ItemLists = { readonly [Set in RoutingSet]: readonly RoutingItems[Set][] }

/** The whole state as stored in the database. */
export interface StoredRouting extends ItemLists {
  readonly broken: readonly BrokenRow[]
}

export const noRouting: StoredRouting = {
  connections: [],
  combos: [],
  customModels: [],
  modelAliases: [],
  broken: [],
}

/** The unique key of a custom model. Neither type nor alias contains a slash. */
export function customModelKey({
  type,
  providerAlias,
  id,
}: Pick<CustomModel, 'providerAlias' | 'id'> & {
  readonly type?: string | null | undefined
}): string {
  return `${type ?? 'llm'}/${providerAlias}/${id}`
}

/** The unique key of an item in its set, which is the id of its row. */
export const itemKeys: { readonly [Set in RoutingSet]: (item: RoutingItems[Set]) => string } = {
  connections: ({ id }) => id,
  combos: ({ name }) => name,
  customModels: customModelKey,
  modelAliases: ({ name }) => name,
}

/** The state without a broken row; undefined if there is no such row. */
export function withoutBroken(
  state: StoredRouting,
  set: RoutingSet,
  id: string,
): StoredRouting | undefined {
  const broken = state.broken.filter((row) => row.set !== set || row.id !== id)
  return broken.length === state.broken.length ? undefined : { ...state, broken }
}

export function toRows(state: StoredRouting): RoutingRows {
  return {
    connections: rowsOf(state, 'connections'),
    combos: rowsOf(state, 'combos'),
    customModels: rowsOf(state, 'customModels'),
    modelAliases: rowsOf(state, 'modelAliases'),
  }
}

/** Broken rows follow the others of their set; an item with the same id replaces a broken row. */
function rowsOf<Set extends RoutingSet>(
  { broken, ...lists }: StoredRouting,
  set: Set,
): readonly RoutingRow[] {
  const items: ItemLists[Set] = lists[set]
  const rows = items.map((item) => ({ id: itemKeys[set](item), json: JSON.stringify(item) }))
  const taken = new Set(rows.map(({ id }) => id))
  return [...rows, ...broken.filter((row) => row.set === set && !taken.has(row.id))]
}

/**
 * @param keyOf Undefined: the item has no key yet.
 * @param list The name of the list in the body, and `field` that of the key.
 * @throws ApiError 400 at the second of two items with the same key.
 */
export function assertUnique<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | undefined,
  { list, field }: { readonly list: string; readonly field: string },
): void {
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    const key = keyOf(item)
    if (key === undefined) continue
    if (seen.has(key)) {
      throw new ApiError(400, 'expected unique values; this one is a duplicate', {
        field: jsonPath([list, index, field]),
      })
    }
    seen.add(key)
  }
}
