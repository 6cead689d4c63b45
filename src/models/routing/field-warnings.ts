import { jsonPath } from '../../json-api/json-path.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { byPriority } from '../connection-order.ts'
import { type RoutingWarning, routingWarnings } from '../list/routing-warnings.ts'
import type { FieldWarning } from './routing-schemas.ts'
import { customModelKey, type StoredRouting } from './stored-routing.ts'

/** The `warnings` of responses: stored input that has no effect on any list. */

/** Of the whole state; `field` is the JSON path in it. */
export function stateWarnings(state: StoredRouting, catalogue: Catalogue): FieldWarning[] {
  return find(state, catalogue).map(({ path, message }) => ({ field: jsonPath(path), message }))
}

const sets = {
  connections: (state: StoredRouting, id: string) =>
    state.connections.toSorted(byPriority).findIndex((each) => each.id === id),
  combos: (state: StoredRouting, name: string) =>
    state.combos.findIndex((each) => each.name === name),
  customModels: (state: StoredRouting, key: string) =>
    state.customModels.findIndex((each) => customModelKey(each) === key),
  modelAliases: (_state: StoredRouting, name: string) => name,
} as const

/** Of one item; `field` is the JSON path in the item. */
export function itemWarnings(
  state: StoredRouting,
  catalogue: Catalogue,
  { set, key }: { readonly set: keyof typeof sets; readonly key: string },
): FieldWarning[] {
  const step = sets[set](state, key)
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
