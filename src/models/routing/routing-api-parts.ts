import type { Access } from '../../json-api/route.ts'
import type { Sealer } from '../../state/sealer.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Connection } from '../routing-inputs.ts'
import type { ProbeReport } from '../upstream/probe-report.ts'
import type { RoutingStore } from './routing-store.ts'

export interface RoutingApiParts {
  readonly store: RoutingStore
  readonly sealer: Sealer
  readonly catalogue: Catalogue
  /**
   * Asks the upstream of a connection with a decrypted key; a failure of the upstream is a result.
   */
  readonly probe: (connection: Connection) => Promise<ProbeReport>
  /** Admits requests with a valid session. */
  readonly session: Access
  /** Milliseconds since the epoch. */
  readonly now: () => number
}
