import type { Catalogue } from '../catalogue/catalogue.ts'
import { byPriority } from '../connection-order.ts'
import type { Combo, CustomModel } from '../routing-inputs.ts'
import { maskOf } from './api-key.ts'
import { stateWarnings } from './field-warnings.ts'
import type {
  ComboAnswer,
  ConnectionAnswer,
  CustomModelAnswer,
  RoutingAnswer,
  WarnedRouting,
} from './routing-schemas.ts'
import type { KeySealer } from './seal.ts'
import type { StoredConnection, StoredRouting } from './stored-routing.ts'

/** The format of an export and of PUT. Keys are masked. */
export function routingAnswer(state: StoredRouting, sealer: KeySealer): RoutingAnswer {
  return {
    connections: state.connections
      .toSorted(byPriority)
      .map((connection) => connectionAnswer(connection, sealer)),
    combos: state.combos.map(comboAnswer),
    customModels: state.customModels.map(customModelAnswer),
    modelAliases: Object.fromEntries(state.modelAliases.map(({ name, target }) => [name, target])),
  }
}

/** The whole state with warnings about input without effect. */
export function warnedRouting(
  state: StoredRouting,
  { sealer, catalogue }: { readonly sealer: KeySealer; readonly catalogue: Catalogue },
): WarnedRouting {
  return { ...routingAnswer(state, sealer), warnings: stateWarnings(state, catalogue) }
}

export function connectionAnswer(
  connection: StoredConnection,
  sealer: KeySealer,
): ConnectionAnswer {
  const { id, provider, name, isActive, priority, providerSpecificData, createdAtMs } = connection
  const data = providerSpecificData && {
    ...providerSpecificData,
    enabledModels: providerSpecificData.enabledModels?.slice(),
  }
  return {
    ...{ id, provider, name, isActive, priority },
    ...keyAnswer(connection, sealer),
    ...{ providerSpecificData: data, createdAtMs },
  }
}

function keyAnswer(
  { id, sealedKey }: StoredConnection,
  sealer: KeySealer,
): Pick<ConnectionAnswer, 'apiKey' | 'apiKeyState'> {
  if (sealedKey === undefined) return { apiKeyState: 'none' }
  const apiKey = sealer.open(sealedKey, id)
  return { apiKey: maskOf(apiKey), apiKeyState: apiKey === undefined ? 'unreadable' : 'stored' }
}

export function comboAnswer({ name, kind, models }: Combo): ComboAnswer {
  return { name, kind: kind ?? undefined, models: models?.slice() }
}

export function customModelAnswer({
  id,
  providerAlias,
  type,
  name,
}: CustomModel): CustomModelAnswer {
  return { id, providerAlias, type: type ?? undefined, name }
}
