import { storedConnection } from '../connection-edits.ts'
import { leadsElsewhere, sealGivenKey } from '../given-key.ts'
import type { KeySealer } from '../seal.ts'
import {
  customModelKey,
  noRouting,
  type StoredConnection,
  type StoredRouting,
} from '../stored-routing.ts'
import type { ReadConnection, ReadExport } from './read-export.ts'

/**
 * merge: replaces items with the same id or name and keeps all others. replace: keeps nothing else.
 */
export const importModes = ['merge', 'replace'] as const

export type ImportMode = (typeof importModes)[number]

export interface ImportParts {
  readonly mode: ImportMode
  readonly sealer: KeySealer
  readonly nowMs: number
}

/**
 * Pure except for nonces: the state with the imported items. In a merge, a connection without a key
 * keeps the stored one, unless it would be sent to another address.
 *
 * @throws ApiError 400 for a mask without a stored key, or of a key that would be sent elsewhere.
 */
export function importInto(
  state: StoredRouting,
  read: ReadExport,
  parts: ImportParts,
): StoredRouting {
  const base = parts.mode === 'merge' ? state : noRouting
  const known = new Map(state.connections.map((connection) => [connection.id, connection]))
  const connections = read.connections.map((connection, index) =>
    connectionOf(connection, {
      ...parts,
      stored: known.get(connection.id),
      field: `providerConnections[${index}].apiKey`,
    }),
  )
  return {
    connections: joined(base.connections, connections, ({ id }) => id),
    combos: joined(base.combos, read.combos, ({ name }) => name),
    customModels: joined(base.customModels, read.customModels, customModelKey),
    modelAliases: joined(base.modelAliases, read.modelAliases, ({ name }) => name),
    broken: base.broken,
  }
}

interface ConnectionPlace extends ImportParts {
  readonly stored: StoredConnection | undefined
  readonly field: string
}

function connectionOf(
  connection: ReadConnection,
  { mode, sealer, nowMs, stored, field }: ConnectionPlace,
): StoredConnection {
  const { id, apiKey } = connection
  const data = connection.providerSpecificData
  const given = sealGivenKey(apiKey, { sealer, id, stored, target: connection, field })
  // The report names connections whose key is not kept.
  const isKept = mode === 'merge' && !leadsElsewhere(stored, connection)
  const sealedKey = given ?? (isKept ? stored?.sealedKey : undefined)
  const createdAtMs = connection.createdAtMs ?? stored?.createdAtMs ?? nowMs
  return storedConnection({ ...connection, providerSpecificData: data, sealedKey, createdAtMs })
}

/** In the order of `before`, followed by new items. */
function joined<Item>(
  before: readonly Item[],
  added: readonly Item[],
  keyOf: (item: Item) => string,
): Item[] {
  const items = new Map(before.map((item) => [keyOf(item), item]))
  for (const item of added) items.set(keyOf(item), item)
  return [...items.values()]
}
