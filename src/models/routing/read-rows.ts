import { z } from 'zod'
import type { PlacedRow, RoutingSet, RoutingSnapshot } from '../../state/stores/routing.ts'
import { isText } from '../is-text.ts'
import type { Combo, CustomModel } from '../routing-inputs.ts'
import { serviceKind } from './field-schemas.ts'
import {
  type BrokenRow,
  customModelKey,
  type ModelAlias,
  type StoredConnection,
  type StoredRouting,
} from './stored-routing.ts'

/**
 * Reads stored rows of this version, another version, or a manual edit of the database. An invalid
 * field counts as missing; a row without its key is broken. Fields keep the order in which they are
 * written, so that a row that was only read is serialized to the same text.
 */

const filled = z.string().refine(isText)
const text = z.string().optional().catch(undefined)
const integer = z.int().optional().catch(undefined)
/** Null equals missing. An unknown kind makes the row unreadable. */
const kind = serviceKind.nullish().transform((value) => value ?? undefined)

const connectionRow = z.object({
  id: filled,
  provider: filled,
  name: text,
  // Every value except false is active (docs/contract/model-list.md, "Inputs").
  isActive: z
    .unknown()
    .optional()
    .transform((value) => value !== false),
  priority: integer,
  sealedKey: text,
  providerSpecificData: z
    .object({
      baseUrl: text,
      prefix: text,
      // Blank ids are skipped, but an array of blank ids is not empty
      // (docs/contract/model-list.md, "Base ids").
      enabledModels: z.array(z.string().catch('')).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  createdAtMs: integer,
})

const comboRow = z.object({
  name: filled,
  kind,
  models: z.array(z.string()).optional().catch(undefined),
})

const customModelRow = z.object({ id: filled, providerAlias: filled, type: kind, name: text })

const modelAliasRow = z.object({ name: filled, target: filled })

/** The item type of each set. */
export interface RoutingItems {
  readonly connections: StoredConnection
  readonly combos: Combo
  readonly customModels: CustomModel
  readonly modelAliases: ModelAlias
}

interface RowForm<Item> {
  readonly schema: z.ZodType<Item>
  /** The id of its row. */
  readonly keyOf: (item: Item) => string
}

const formOf: { readonly [Set in RoutingSet]: RowForm<RoutingItems[Set]> } = {
  connections: { schema: connectionRow, keyOf: ({ id }) => id },
  combos: { schema: comboRow, keyOf: ({ name }) => name },
  customModels: { schema: customModelRow, keyOf: customModelKey },
  modelAliases: { schema: modelAliasRow, keyOf: ({ name }) => name },
}

export interface ReadRows<Item> {
  readonly items: readonly Item[]
  readonly broken: readonly BrokenRow[]
}

/** Pure: reads rows one by one, so that a broken row does not affect others. */
export function readRows<Set extends RoutingSet>(
  set: Set,
  rows: readonly PlacedRow[],
): ReadRows<RoutingItems[Set]> {
  const items: RoutingItems[Set][] = []
  const broken: BrokenRow[] = []
  for (const { id, json } of rows) {
    const item = readRow(formOf[set], id, json)
    if (item === undefined) broken.push({ set, id, json })
    else items.push(item)
  }
  return { items, broken }
}

/** Pure: the whole state, including unreadable rows. */
export function readState(rows: RoutingSnapshot['rows']): StoredRouting {
  const connections = readRows('connections', rows.connections)
  const combos = readRows('combos', rows.combos)
  const customModels = readRows('customModels', rows.customModels)
  const modelAliases = readRows('modelAliases', rows.modelAliases)
  const all = [connections, combos, customModels, modelAliases]
  return {
    connections: connections.items,
    combos: combos.items,
    customModels: customModels.items,
    modelAliases: modelAliases.items,
    broken: all.flatMap(({ broken }) => broken),
  }
}

function readRow<Item>({ schema, keyOf }: RowForm<Item>, id: string, json: string) {
  const { data } = schema.safeParse(parsed(json))
  return data !== undefined && keyOf(data) === id ? data : undefined
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // Invalid JSON: the row is broken.
    return undefined
  }
}
