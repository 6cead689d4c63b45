import type { Sealer } from '../../../platform/state/sealer.ts'
import { givenConnection } from '../connection-edits.ts'
import { leadsElsewhere } from '../given-key.ts'
import { itemKeys, noRouting, type StoredRouting } from '../stored-routing.ts'
import type { ReadExport } from './read-export.ts'

/**
 * merge: replaces items with the same id or name and keeps all others. replace: keeps nothing else.
 */
export const importModes = ['merge', 'replace'] as const

export type ImportMode = (typeof importModes)[number]

/**
 * Pure except for nonces: the state with the imported items. In a merge, a connection without a key
 * keeps the stored one, unless it would be sent to another address.
 *
 * @throws ApiError 400 for a mask without a stored key, or of a key that would be sent elsewhere.
 */
export function importInto(
  state: StoredRouting,
  read: ReadExport,
  {
    mode,
    sealer,
    nowMs,
  }: { readonly mode: ImportMode; readonly sealer: Sealer; readonly nowMs: number },
): StoredRouting {
  const base = mode === 'merge' ? state : noRouting
  const known = new Map(state.connections.map((connection) => [connection.id, connection]))
  const connections = read.connections.map((connection, index) => {
    const stored = known.get(connection.id)
    const path = ['providerConnections', index]
    const given = givenConnection(connection, { sealer, nowMs, stored, path })
    // The report names connections whose key is not kept.
    const isKept = mode === 'merge' && !leadsElsewhere(stored, connection)
    if (!isKept || stored === undefined) return given
    const { sealedKey, sealedHeaders } = stored
    return { ...given, sealedKey: given.sealedKey ?? sealedKey, sealedHeaders }
  })
  return {
    connections: joined(base.connections, connections, itemKeys.connections),
    combos: joined(base.combos, read.combos, itemKeys.combos),
    customModels: joined(base.customModels, read.customModels, itemKeys.customModels),
    modelAliases: joined(base.modelAliases, read.modelAliases, itemKeys.modelAliases),
    broken: base.broken,
  }
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
