import type { Database } from '../database.ts'
import { DatabaseKeyValueStore } from './database-key-value.ts'
import type { KeyValueError, KeyValueStore } from './key-value.ts'

export interface KeyValueOptions {
  /** The setting AUTH_KV; undefined: the database. */
  readonly url: string | undefined
  readonly database: Database
  /** The database's time, by which sessions expire. */
  readonly now: () => number
  /** Called with the reason when the store's server is lost, with nothing when it is back. */
  readonly onState?: (problem: KeyValueError | undefined) => void
}

/** Opens AUTH_KV. An unreachable server does not block the start: connecting is retried. */
export async function openKeyValueStore(options: KeyValueOptions): Promise<KeyValueStore> {
  const { url, database, now, onState } = options
  if (url === undefined) return new DatabaseKeyValueStore(database, now)
  // Loaded only if used: most installations have no such server.
  const { RedisKeyValueStore } = await import('./redis-key-value.ts')
  return new RedisKeyValueStore({ url, ...(onState === undefined ? {} : { onState }) })
}
