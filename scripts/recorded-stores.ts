import { readFileSync } from 'node:fs'
import type { Abilities } from '../src/storage/drives/s3/requests/store-abilities.ts'

export type RacedAbility = 'create' | 'replace' | 'removeMatching'

/** What a version of a store does, as `npm run docs:store` has found out. */
export interface RecordedStore {
  readonly store: string
  readonly version: string
  /** When it was tried, in UTC. */
  readonly date: string
  readonly abilities: Abilities
  /** Whether one of several writes and removals at the same moment wins, if the store knows the condition at all. */
  readonly isAtomic: Readonly<Record<RacedAbility, boolean>>
}

export const recordedStoresFile = new URL('recorded-stores.json', import.meta.url)

export function recordedStores(): readonly RecordedStore[] {
  return JSON.parse(readFileSync(recordedStoresFile, 'utf8')) as RecordedStore[]
}
