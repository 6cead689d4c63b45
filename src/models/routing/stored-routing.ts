import type { RoutingRow, RoutingRows, RoutingSet } from '../../state/stores/routing.ts'
import type { Combo, Connection, CustomModel } from '../routing-inputs.ts'

/** A connection as stored in the database. */
export interface StoredConnection extends Omit<Connection, 'apiKey' | 'isActive' | 'priority'> {
  readonly isActive: boolean
  readonly priority?: number | undefined
  /** See seal.ts; undefined without a key. */
  readonly sealedKey?: string | undefined
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

/** The whole state as stored in the database, each list in its order. */
export interface StoredRouting {
  readonly connections: readonly StoredConnection[]
  readonly combos: readonly Combo[]
  readonly customModels: readonly CustomModel[]
  readonly modelAliases: readonly ModelAlias[]
  readonly broken: readonly BrokenRow[]
}

export const noRouting: StoredRouting = {
  connections: [],
  combos: [],
  customModels: [],
  modelAliases: [],
  broken: [],
}

export interface CustomModelNames {
  readonly type?: string | null | undefined
  readonly providerAlias: string
  readonly id: string
}

/** The unique key of a custom model. Neither type nor alias contains a slash. */
export function customModelKey({ type, providerAlias, id }: CustomModelNames): string {
  return `${type ?? 'llm'}/${providerAlias}/${id}`
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

/** Broken rows follow the others of their set; an item with the same id replaces a broken row. */
export function toRows(state: StoredRouting): RoutingRows {
  const withBroken = (set: RoutingSet, rows: readonly RoutingRow[]) => {
    const taken = new Set(rows.map(({ id }) => id))
    const broken = state.broken.filter((row) => row.set === set && !taken.has(row.id))
    return [...rows, ...broken]
  }
  return {
    connections: withBroken(
      'connections',
      state.connections.map((item) => rowOf(item.id, item)),
    ),
    combos: withBroken(
      'combos',
      state.combos.map((item) => rowOf(item.name, item)),
    ),
    customModels: withBroken(
      'customModels',
      state.customModels.map((item) => rowOf(customModelKey(item), item)),
    ),
    modelAliases: withBroken(
      'modelAliases',
      state.modelAliases.map((item) => rowOf(item.name, item)),
    ),
  }
}

function rowOf(id: string, item: object): RoutingRow {
  return { id, json: JSON.stringify(item) }
}
