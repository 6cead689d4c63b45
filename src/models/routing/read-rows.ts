import { z } from 'zod'
import { isText } from '../list/stored-rows.ts'
import { orMissing, price, serviceKind, weight } from './field-schemas.ts'
import type { OrderedRow, RoutingSet, RoutingSnapshot } from './routing-table.ts'
import {
  type BrokenRow,
  itemKeys,
  type RoutingItems,
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
/** An unknown kind makes the row unreadable. */
const kind = orMissing(serviceKind)

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
  sealedHeaders: z.record(z.string(), z.string()).optional().catch(undefined),
  providerSpecificData: z
    .object({
      baseUrl: text,
      prefix: text,
      // Blank ids are skipped, but an array of blank ids is not empty
      // (docs/contract/model-list.md, "Base ids").
      enabledModels: z.array(z.string().catch('')).optional().catch(undefined),
      weight: weight.optional().catch(undefined),
      price: price.optional().catch(undefined),
      translate: z.boolean().optional().catch(undefined),
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

const customModelRow = z.object({
  ...{ id: filled, providerAlias: filled, type: kind, name: text },
  price: price.optional().catch(undefined),
})

const modelAliasRow = z.object({ name: filled, target: filled })

const schemas: { readonly [Set in RoutingSet]: z.ZodType<RoutingItems[Set]> } = {
  connections: connectionRow,
  combos: comboRow,
  customModels: customModelRow,
  modelAliases: modelAliasRow,
}

/** Pure: reads rows one by one, so that a broken row does not affect others. */
export function readRows<Set extends RoutingSet>(
  set: Set,
  rows: readonly OrderedRow[],
): { readonly items: readonly RoutingItems[Set][]; readonly broken: readonly BrokenRow[] } {
  const items: RoutingItems[Set][] = []
  const broken: BrokenRow[] = []
  for (const { id, json } of rows) {
    const { data } = schemas[set].safeParse(parsed(json))
    if (data === undefined || itemKeys[set](data) !== id) broken.push({ set, id, json })
    else items.push(data)
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

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // Invalid JSON: the row is broken.
    return undefined
  }
}
