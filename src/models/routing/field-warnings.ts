import { jsonPath } from '../../platform/json-api/api-error.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { type RoutingWarning, routingWarnings } from '../list/routing-warnings.ts'
import { byPriority } from './connection-order.ts'
import type { FieldWarning } from './routing-schemas.ts'
import type { RoutingSet } from './routing-table.ts'
import { type ItemLists, itemKeys, type StoredRouting } from './stored-routing.ts'

/** The `warnings` of responses: stored input that has no effect on any list. */

/** Of the whole state; `field` is the JSON path in it. */
export function stateWarnings(state: StoredRouting, catalogue: Catalogue): FieldWarning[] {
  return find(state, catalogue).map(({ path, message }) => ({ field: jsonPath(path), message }))
}

/** Of one item; `field` is the JSON path in the item. */
export function itemWarnings<Set extends RoutingSet>(
  state: StoredRouting,
  catalogue: Catalogue,
  { set, key }: { readonly set: Set; readonly key: string },
): FieldWarning[] {
  const lists: ItemLists = { ...state, connections: state.connections.toSorted(byPriority) }
  const items: ItemLists[Set] = lists[set]
  const index = items.findIndex((item) => itemKeys[set](item) === key)
  const step = set === 'modelAliases' ? key : index
  return find(state, catalogue)
    .filter(({ path }) => path[0] === set && path[1] === step)
    .map(({ path: [, , ...inItem], message }) => ({
      // In the whole state the target of an alias is the value of its name.
      field: set === 'modelAliases' ? 'target' : jsonPath(inItem),
      message,
    }))
}

function find(state: StoredRouting, catalogue: Catalogue): readonly RoutingWarning[] {
  return routingWarnings({
    ...{ combos: state.combos, customModels: state.customModels, catalogue },
    connections: state.connections.toSorted(byPriority),
    modelAliases: Object.fromEntries(state.modelAliases.map(({ name, target }) => [name, target])),
  })
}
