import type { RoutingRow, RoutingRows, RoutingSet } from '../../state/routing.ts'
import type { Combo, Connection, CustomModel } from '../routing-inputs.ts'

/** A connection as the database has it. */
export interface StoredConnection extends Omit<Connection, 'apiKey' | 'isActive' | 'priority'> {
  readonly isActive: boolean
  readonly priority?: number | undefined
  /** See seal.ts; absent: there is no key. */
  readonly sealedKey?: string | undefined
}

/** A name of the person's own for `<alias>/<model_id>`. */
export interface ModelAlias {
  readonly name: string
  readonly target: string
}

/** A row that can't be read. It stays as it is until somebody replaces or deletes it. */
export interface BrokenRow extends RoutingRow {
  readonly set: RoutingSet
}

/** The whole state as the database has it, each list in its order. */
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

/** Tells a custom model from all others. Neither type nor alias has a slash. */
export function customModelKey({ type, providerAlias, id }: CustomModelNames): string {
  return `${type ?? 'llm'}/${providerAlias}/${id}`
}

/** The state without a broken row; undefined when there is no such row. */
export function withoutBroken(
  state: StoredRouting,
  set: RoutingSet,
  id: string,
): StoredRouting | undefined {
  const broken = state.broken.filter((row) => row.set !== set || row.id !== id)
  return broken.length === state.broken.length ? undefined : { ...state, broken }
}

/** Broken rows come behind the others of their set; one whose id an item has now is replaced by it. */
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
