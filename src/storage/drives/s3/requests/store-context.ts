import type { Probe } from '../probe/probe.ts'
import type { Store } from './store.ts'
import type { StoreNames } from './store-names.ts'

/** What the parts of the drive share. */
export interface StoreContext {
  readonly store: Store
  readonly names: StoreNames
  readonly probe: Probe
}
