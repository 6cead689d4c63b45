import { formatDay, formatHour } from '../../format/time.ts'
import { modelsTexts } from '../../texts/models.ts'
import { connectionName } from '../connections/connection-text.ts'
import { useModelKeys } from '../keys/model-keys-queries.ts'
import { useRouting } from '../routing-queries.ts'
import type { Grouping } from './usage-sums.ts'

/** Returns the display name of a value in a usage row. */
export type UsageNames = (field: Grouping, value: string, by?: 'day' | 'hour') => string

/** Keys without a row of their own. */
const ownKeys: Readonly<Record<string, string>> = {
  '': 'MODELS_API_KEY',
  dashboard: modelsTexts.usage.tryIt,
}

export function useUsageNames(): UsageNames {
  const keys = useModelKeys().data?.keys
  const connections = useRouting().data?.connections
  const ofKey = (value: string) => {
    const known = keys?.find(({ keyId }) => keyId === value)?.name ?? ownKeys[value]
    return known ?? (keys === undefined ? value : `${value} (revoked)`)
  }
  const ofConnection = (value: string) => {
    const connection = connections?.find(({ id }) => id === value)
    if (connection !== undefined) return connectionName(connection)
    return connections === undefined ? value : `${value} (deleted)`
  }
  return (field, value, by = 'day') => {
    if (field === 'keyId') return ofKey(value)
    if (field === 'connectionId') return ofConnection(value)
    if (field === 'model') return value
    return (by === 'day' ? formatDay : formatHour)(Date.parse(value))
  }
}
