import { byPriority } from '../connection-order.ts'
import type { Combo, CustomModel } from '../routing-inputs.ts'
import { maskOf } from './api-key.ts'
import type {
  ComboAnswer,
  ConnectionAnswer,
  CustomModelAnswer,
  RoutingAnswer,
} from './routing-schemas.ts'
import type { KeySealer } from './seal.ts'
import type { StoredConnection, StoredRouting } from './stored-routing.ts'

/** How keys are shown: as masks, or themselves in an export that asks for them. */
export type ShowKey = (apiKey: string) => string

/** The form that PUT takes. A key that can't be opened is shown as a mask in any case. */
export function routingAnswer(
  state: StoredRouting,
  sealer: KeySealer,
  showKey: ShowKey = maskOf,
): RoutingAnswer {
  return {
    connections: state.connections
      .toSorted(byPriority)
      .map((connection) => connectionAnswer(connection, sealer, showKey)),
    combos: state.combos.map(comboAnswer),
    customModels: state.customModels.map(customModelAnswer),
    modelAliases: Object.fromEntries(state.modelAliases.map(({ name, target }) => [name, target])),
  }
}

export function connectionAnswer(
  connection: StoredConnection,
  sealer: KeySealer,
  showKey: ShowKey = maskOf,
): ConnectionAnswer {
  const { id, provider, name, isActive, priority, providerSpecificData, createdAtMs } = connection
  const data = providerSpecificData && {
    ...providerSpecificData,
    enabledModels: providerSpecificData.enabledModels?.slice(),
  }
  return {
    ...{ id, provider, name, isActive, priority },
    ...keyAnswer(connection, sealer, showKey),
    ...{ providerSpecificData: data, createdAtMs },
  }
}

function keyAnswer(
  { id, sealedKey }: StoredConnection,
  sealer: KeySealer,
  showKey: ShowKey,
): Pick<ConnectionAnswer, 'apiKey' | 'apiKeyState'> {
  if (sealedKey === undefined) return { apiKeyState: 'none' }
  const apiKey = sealer.open(sealedKey, id)
  if (apiKey === undefined) return { apiKey: maskOf(undefined), apiKeyState: 'unreadable' }
  return { apiKey: showKey(apiKey), apiKeyState: 'stored' }
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
