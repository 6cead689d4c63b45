import type { ConnectionAnswer } from '../../../../src/models/routing/routing-schemas.ts'
import { modelsTexts } from '../../texts/models.ts'

export function connectionName({ name, provider }: ConnectionAnswer): string {
  return name === undefined || name === '' ? provider : name
}

/** A one-line description of a connection. */
export function connectionDetail(connection: ConnectionAnswer): string {
  const { provider, apiKey, priority, providerSpecificData = {} } = connection
  const { baseUrl, prefix, enabledModels, weight, translate, headers } = providerSpecificData
  return [
    connectionName(connection) === provider ? undefined : kindOf(provider),
    baseUrl,
    prefix === undefined || prefix === '' ? undefined : modelsTexts.connection.prefix(prefix),
    apiKey === undefined ? undefined : modelsTexts.connection.key(apiKey),
    enabledModels?.length
      ? modelsTexts.connection.selected(modelsTexts.modelCount(enabledModels.length))
      : undefined,
    priority === undefined ? undefined : modelsTexts.connection.priority(priority),
    weight === undefined ? undefined : modelsTexts.connection.weight(weight),
    translate === false ? modelsTexts.connection.notTranslated : undefined,
    headers && modelsTexts.connection.headers(Object.keys(headers).length),
  ]
    .filter((part) => part !== undefined && part !== '')
    .join(' · ')
}

/** Ids of custom providers are long and carry no further information. */
function kindOf(provider: string): string {
  if (provider.startsWith('openai-compatible-')) return modelsTexts.connection.openAi
  if (provider.startsWith('anthropic-compatible-')) return modelsTexts.connection.anthropic
  return provider
}

/** The ids with one of them moved by one position; undefined if it cannot move further. */
export function movedIds(
  ids: readonly string[],
  id: string,
  by: -1 | 1,
): readonly string[] | undefined {
  const from = ids.indexOf(id)
  const other = ids[from + by]
  if (from === -1 || other === undefined) return undefined
  return ids.map((each) => (each === id ? other : each === other ? id : each))
}
