import type { ConnectionAnswer } from '../../../../src/models/routing/routing-schemas.ts'
import { formatAmount } from '../../format/bytes.ts'

export function connectionName({ name, provider }: ConnectionAnswer): string {
  return name === undefined || name === '' ? provider : name
}

/** What a connection is, in one line. */
export function connectionDetail(connection: ConnectionAnswer): string {
  const { provider, apiKey, providerSpecificData = {} } = connection
  const { baseUrl, prefix, enabledModels } = providerSpecificData
  return [
    connectionName(connection) === provider ? undefined : kindOf(provider),
    baseUrl,
    prefix === undefined || prefix === '' ? undefined : `prefix ${prefix}`,
    apiKey === undefined ? undefined : `key ${apiKey}`,
    enabledModels?.length ? `${formatAmount(enabledModels.length, 'model')} selected` : undefined,
  ]
    .filter((part) => part !== undefined && part !== '')
    .join(' · ')
}

/** Ids of a person's own are long and say no more than this. */
function kindOf(provider: string): string {
  if (provider.startsWith('openai-compatible-')) return 'OpenAI-compatible'
  if (provider.startsWith('anthropic-compatible-')) return 'Anthropic-compatible'
  return provider
}

/** The ids with one of them moved by a place; undefined where there is none to move to. */
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
