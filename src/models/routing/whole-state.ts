import { jsonPath } from '../../json-api/json-path.ts'
import { assertUnique } from './assert-unique.ts'
import { storedConnection } from './connection-edits.ts'
import { sealGivenKey } from './given-key.ts'
import { comboOf, customModelOf } from './item-edits.ts'
import { randomConnectionId } from './random-id.ts'
import type { ConnectionInput, RoutingInput } from './routing-schemas.ts'
import type { KeySealer } from './seal.ts'
import { customModelKey, type StoredConnection, type StoredRouting } from './stored-routing.ts'

export interface WholeStateParts {
  readonly sealer: KeySealer
  readonly nowMs: number
}

/**
 * Pure except for new ids and nonces: the state to store instead of `before`, from the body of a
 * PUT. Masked keys and the age of connections are kept.
 *
 * @throws ApiError 400 that names the field.
 */
export function wholeState(
  input: RoutingInput,
  before: StoredRouting,
  parts: WholeStateParts,
): StoredRouting {
  const { connections, combos, customModels, modelAliases } = input
  const known = new Map(before.connections.map((connection) => [connection.id, connection]))
  assertUnique(
    connections,
    ({ id }) => id,
    (index) => ['connections', index, 'id'],
  )
  assertUnique(
    combos,
    ({ name }) => name,
    (index) => ['combos', index, 'name'],
  )
  assertUnique(customModels, customModelKey, (index) => ['customModels', index, 'id'])
  return {
    connections: connections.map((connection, index) =>
      connectionOf(connection, { ...parts, index, stored: known.get(connection.id ?? '') }),
    ),
    combos: combos.map(comboOf),
    customModels: customModels.map(customModelOf),
    modelAliases: Object.entries(modelAliases).map(([name, target]) => ({ name, target })),
    broken: [],
  }
}

interface ConnectionPlace extends WholeStateParts {
  readonly index: number
  readonly stored: StoredConnection | undefined
}

function connectionOf(
  input: ConnectionInput,
  { sealer, nowMs, index, stored }: ConnectionPlace,
): StoredConnection {
  const id = input.id ?? randomConnectionId()
  const field = jsonPath(['connections', index, 'apiKey'])
  const sealedKey = sealGivenKey(input.apiKey, { sealer, id, stored, target: input, field })
  const createdAtMs = input.createdAtMs ?? stored?.createdAtMs ?? nowMs
  return storedConnection({ ...input, id, sealedKey, createdAtMs })
}
