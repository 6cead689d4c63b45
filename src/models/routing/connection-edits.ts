import { ApiError, jsonPath } from '../../platform/json-api/api-error.ts'
import type { Sealer } from '../../platform/state/sealer.ts'
import { byPriority } from '../list/stored-rows.ts'
import { type KeyContext, kept, sealGivenHeaders, sealGivenKey } from './given-key.ts'
import type { ConnectionChange, ConnectionInput } from './routing-schemas.ts'
import { type StoredConnection, type StoredRouting, withoutBroken } from './stored-routing.ts'

/** A connection of a request or a file, its key as given. */
export type GivenConnection = Omit<ConnectionInput, 'id' | 'apiKeyState'> & { readonly id: string }

type Secrets = Pick<StoredConnection, 'sealedKey' | 'sealedHeaders'>

/** In the order in which they are read (read-rows.ts). Header fields are stored apart. */
const dataFields = ['baseUrl', 'prefix', 'enabledModels', 'weight', 'price', 'translate'] as const

/** In a request, null and a missing field mean the same. Neither is stored, and empty data is not stored either. */
function storedConnection(
  given: Omit<GivenConnection, 'providerSpecificData'> & {
    readonly providerSpecificData?:
      | Partial<Record<(typeof dataFields)[number], unknown>>
      | null
      | undefined
  },
  secrets: Secrets,
): StoredConnection {
  const { id, provider, name, isActive, priority, providerSpecificData, createdAtMs } = given
  const data = dataFields
    .map((field) => [field, providerSpecificData?.[field] ?? undefined] as const)
    .filter(([, value]) => value !== undefined)
  return {
    ...{ id, provider, name: name ?? undefined },
    ...{ isActive: isActive !== false, priority: priority ?? undefined, ...secrets },
    providerSpecificData: data.length === 0 ? undefined : Object.fromEntries(data),
    createdAtMs,
  }
}

/**
 * The connection to store. A masked key, and the age of a stored connection, are kept.
 *
 * @throws ApiError 400 for a mask without a stored key, or of a key that would be sent elsewhere.
 */
export function givenConnection(
  given: GivenConnection,
  { nowMs, ...parts }: Omit<KeyContext, 'id' | 'target'> & { readonly nowMs: number },
): StoredConnection {
  const { id, apiKey, providerSpecificData } = given
  const context = { ...parts, id, target: given }
  const sealedKey = sealGivenKey(apiKey, context)
  const sealedHeaders = sealGivenHeaders(providerSpecificData?.headers, context)
  const createdAtMs = given.createdAtMs ?? parts.stored?.createdAtMs ?? nowMs
  return storedConnection({ ...given, createdAtMs }, { sealedKey, sealedHeaders })
}

/** @throws ApiError 404. */
export function findConnection(state: StoredRouting, id: string): StoredConnection {
  const found = state.connections.find((connection) => connection.id === id)
  if (found === undefined) throw new ApiError(404, 'The connection does not exist.')
  return found
}

export function addConnection(state: StoredRouting, connection: StoredConnection): StoredRouting {
  return { ...state, connections: [...state.connections, connection] }
}

/** @throws ApiError 404, or 400 for a mask of another key or a key that would be sent elsewhere. */
export function changeConnection(
  state: StoredRouting,
  id: string,
  { change, sealer }: { readonly change: ConnectionChange; readonly sealer: Sealer },
): StoredRouting {
  const stored = findConnection(state, id)
  const { apiKey, providerSpecificData: data } = change
  const headers = data === null ? null : data?.headers
  // Fields that a change does not have stay, also those of the data; null removes a field, or all of the data.
  const target = {
    ...{ ...stored, ...change, provider: change.provider ?? stored.provider },
    providerSpecificData: data === null ? null : { ...stored.providerSpecificData, ...data },
  }
  const context = { sealer, id, stored, target, path: [] }
  const sealedKey =
    apiKey === undefined ? kept(stored.sealedKey, 'key', context) : sealGivenKey(apiKey, context)
  const sealedHeaders =
    headers === undefined
      ? kept(stored.sealedHeaders, 'value', context)
      : sealGivenHeaders(headers, context)
  return replaceConnection(state, storedConnection(target, { sealedKey, sealedHeaders }))
}

/** @throws ApiError 404. */
export function setActive(state: StoredRouting, id: string, isActive: boolean): StoredRouting {
  return replaceConnection(state, { ...findConnection(state, id), isActive })
}

/** @throws ApiError 404. */
export function removeConnection(state: StoredRouting, id: string): StoredRouting {
  const healthy = withoutBroken(state, 'connections', id)
  if (healthy !== undefined) return healthy
  findConnection(state, id)
  return { ...state, connections: state.connections.filter((connection) => connection.id !== id) }
}

/**
 * Assigns the first priorities to the named connections in this order and the following ones to all
 * others in their current order.
 *
 * @throws ApiError 400 for an unknown or repeated id.
 */
export function reorderConnections(state: StoredRouting, ids: readonly string[]): StoredRouting {
  const left = new Map(state.connections.toSorted(byPriority).map((each) => [each.id, each]))
  const named = ids.map((id, index) => {
    const connection = left.get(id)
    if (connection === undefined) {
      throw new ApiError(400, 'expected ids of connections, each only once', {
        field: jsonPath(['ids', index]),
      })
    }
    left.delete(id)
    return connection
  })
  const connections = [...named, ...left.values()].map((connection, index) => ({
    ...connection,
    priority: index + 1,
  }))
  return { ...state, connections }
}

function replaceConnection(state: StoredRouting, changed: StoredConnection): StoredRouting {
  const connections = state.connections.map((each) => (each.id === changed.id ? changed : each))
  return { ...state, connections }
}
