import { jsonPath } from '../../json-api/json-path.ts'
import type { Sealer } from '../../state/sealer.ts'
import { assertUnique } from './assert-unique.ts'
import { givenConnection } from './connection-edits.ts'
import { randomConnectionId } from './random-id.ts'
import type { RoutingInput } from './routing-schemas.ts'
import { itemKeys, type StoredRouting } from './stored-routing.ts'

/**
 * Pure except for new ids and nonces: the state to store instead of `before`, from the body of a
 * PUT. Masked keys and the age of connections are kept.
 *
 * @throws ApiError 400 that names the field.
 */
export function wholeState(
  input: RoutingInput,
  before: StoredRouting,
  parts: { readonly sealer: Sealer; readonly nowMs: number },
): StoredRouting {
  const { connections, combos, customModels, modelAliases } = input
  const known = new Map(before.connections.map((connection) => [connection.id, connection]))
  assertUnique(connections, ({ id }) => id, { list: 'connections', field: 'id' })
  assertUnique(combos, itemKeys.combos, { list: 'combos', field: 'name' })
  assertUnique(customModels, itemKeys.customModels, { list: 'customModels', field: 'id' })
  return {
    connections: connections.map((connection, index) => {
      const id = connection.id ?? randomConnectionId()
      const field = jsonPath(['connections', index, 'apiKey'])
      return givenConnection({ ...connection, id }, { ...parts, stored: known.get(id), field })
    }),
    combos,
    customModels,
    modelAliases: Object.entries(modelAliases).map(([name, target]) => ({ name, target })),
    broken: [],
  }
}
