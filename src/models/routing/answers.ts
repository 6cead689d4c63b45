import type { Sealer } from '../../platform/state/sealer.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { maskOf } from './api-key.ts'
import { byPriority } from './connection-order.ts'
import { stateWarnings } from './field-warnings.ts'
import type { ConnectionAnswer, RoutingAnswer, WarnedRouting } from './routing-schemas.ts'
import type { StoredConnection, StoredRouting } from './stored-routing.ts'

/** The format of an export and of PUT. Keys are masked. */
export function toRoutingAnswer(state: StoredRouting, sealer: Sealer): RoutingAnswer {
  return {
    connections: state.connections
      .toSorted(byPriority)
      .map((connection) => toConnectionAnswer(connection, sealer)),
    combos: state.combos,
    customModels: state.customModels,
    modelAliases: Object.fromEntries(state.modelAliases.map(({ name, target }) => [name, target])),
  }
}

/** The whole state with warnings about input without effect. */
export function toWarnedRouting(
  state: StoredRouting,
  { sealer, catalogue }: { readonly sealer: Sealer; readonly catalogue: Catalogue },
): WarnedRouting {
  return { ...toRoutingAnswer(state, sealer), warnings: stateWarnings(state, catalogue) }
}

export function toConnectionAnswer(
  { sealedKey, ...connection }: StoredConnection,
  sealer: Sealer,
): ConnectionAnswer {
  if (sealedKey === undefined) return { ...connection, apiKeyState: 'none' }
  const apiKey = sealer.open(sealedKey, connection.id)
  const apiKeyState = apiKey === undefined ? 'unreadable' : 'stored'
  return { ...connection, apiKey: maskOf(apiKey), apiKeyState }
}
