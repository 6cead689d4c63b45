import { confirmEndedGateways, setEndedGateways } from '../../platform/process/ended-processes.ts'
import { setDiedElsewhere } from '../../platform/process/identity.ts'
import { diedIn } from './gateway-facts.ts'
import type { GatewayRow, GatewayTable } from './gateway-table.ts'

/** What a process knows about the gateways that share the database. */
export class KnownGateways {
  readonly #table: Pick<GatewayTable, 'all'>
  #running = 0
  /** When the database was asked for the known rows. */
  #askedAtMs = Number.NEGATIVE_INFINITY

  constructor(table: Pick<GatewayTable, 'all'>) {
    this.#table = table
  }

  /** The number of running gateways, including this one: at least 1. */
  get running(): number {
    return Math.max(this.#running, 1)
  }

  /** For RevisionWatch: in all processes of a gateway. @throws DatabaseError */
  readonly reload = async (): Promise<void> => {
    const askedAtMs = performance.now()
    this.set(await this.#table.all(), askedAtMs)
  }

  /** For RevisionWatch, when the database has confirmed that nothing has changed. @param askedAtMs monotonic */
  readonly confirm = confirmEndedGateways

  /** @param askedAtMs when the database was asked for them, monotonic */
  set(rows: readonly GatewayRow[], askedAtMs: number): void {
    // A primary process has two reasons to ask, and the later answer can arrive first.
    if (askedAtMs < this.#askedAtMs) return
    this.#askedAtMs = askedAtMs
    const { running = [], ended = [] } = Object.groupBy(rows, ({ endedAtMs }) =>
      endedAtMs === 0 ? 'running' : 'ended',
    )
    this.#running = running.length
    setDiedElsewhere(rows.flatMap(({ json }) => diedIn(json)))
    setEndedGateways(
      ended.map(({ process, beatTicks }) => ({ process, untilTicks: beatTicks })),
      running.map(({ process }) => process),
      askedAtMs,
    )
  }
}
