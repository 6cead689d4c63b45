import type { PlacedRow, RoutingRow, RoutingRows, RoutingSnapshot } from '../../state/routing.ts'
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

/** The whole state as the database has it, each list in its order. */
export interface StoredRouting {
  readonly connections: readonly StoredConnection[]
  readonly combos: readonly Combo[]
  readonly customModels: readonly CustomModel[]
  readonly modelAliases: readonly ModelAlias[]
}

export const noRouting: StoredRouting = {
  connections: [],
  combos: [],
  customModels: [],
  modelAliases: [],
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

export function toRows(state: StoredRouting): RoutingRows {
  return {
    connections: state.connections.map((item) => rowOf(item.id, item)),
    combos: state.combos.map((item) => rowOf(item.name, item)),
    customModels: state.customModels.map((item) => rowOf(customModelKey(item), item)),
    modelAliases: state.modelAliases.map((item) => rowOf(item.name, item)),
  }
}

export function fromRows(rows: RoutingSnapshot['rows']): StoredRouting {
  return {
    connections: itemsOf<StoredConnection>(rows.connections),
    combos: itemsOf<Combo>(rows.combos),
    customModels: itemsOf<CustomModel>(rows.customModels),
    modelAliases: itemsOf<ModelAlias>(rows.modelAliases),
  }
}

/** Rows were checked when they were written, by this version or an older one. */
export function itemsOf<Item>(rows: readonly PlacedRow[]): Item[] {
  return rows.map(({ json }) => JSON.parse(json) as Item)
}

function rowOf(id: string, item: object): RoutingRow {
  return { id, json: JSON.stringify(item) }
}
