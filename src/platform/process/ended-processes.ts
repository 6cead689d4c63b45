import { type ProcessName, startOf } from './identity.ts'

/** A gateway that has ended, as the other gateways know from the database. */
interface EndedGateway {
  /** Its primary process. */
  readonly process: ProcessName
  /** Until when its processes may have started: clock ticks of its host since boot. */
  readonly untilTicks: number
}

interface Span {
  readonly fromTicks: number
  readonly untilTicks: number
}

/**
 * How long `hasEnded` relies on the last reply of the database. A gateway that seemed to have ended may register again,
 * and this process does not learn of it while the database does not respond. Revisions are read every second.
 */
const maxAgeMs = 5_000

let ended: ReadonlyMap<string, readonly Span[]> = new Map()
let confirmedAtMs = Number.NEGATIVE_INFINITY

/**
 * Sets what is known of processes on other hosts, for `hasEnded`. Like `livenessOf` this is one fact for the
 * whole process, however many drives and leases ask.
 *
 * @param running the primary processes of gateways that run: nothing is said of processes on their hosts
 * @param askedAtMs when the database was asked, monotonic
 */
export function setEndedGateways(
  gateways: readonly EndedGateway[],
  running: readonly ProcessName[],
  askedAtMs = performance.now(),
): void {
  const alive = new Set(running.map((name) => startOf(name)?.host))
  const spans = new Map<string, Span[]>()
  for (const { process, untilTicks } of gateways) {
    const start = startOf(process)
    if (start === undefined || alive.has(start.host)) continue
    const ofHost = spans.get(start.host) ?? []
    ofHost.push({ fromTicks: start.ticks, untilTicks })
    spans.set(start.host, ofHost)
  }
  ended = spans
  confirmEndedGateways(askedAtMs)
}

/** Call it when the database has confirmed that nothing has changed. @param askedAtMs when it was asked, monotonic */
export function confirmEndedGateways(askedAtMs: number): void {
  confirmedAtMs = Math.max(confirmedAtMs, askedAtMs)
}

/**
 * Whether a process of another host belonged to a gateway that has ended: it started during the life of that
 * gateway. A gateway that was suspended seems to have ended, and may continue: what is taken from its processes
 * must be safe against that, as with an expired lease. False if the database has not confirmed it for five seconds.
 */
export function hasEnded(name: ProcessName): boolean {
  const start = startOf(name)
  if (start === undefined || performance.now() - confirmedAtMs > maxAgeMs) return false
  const spans = ended.get(start.host) ?? []
  return spans.some(
    ({ fromTicks, untilTicks }) => fromTicks <= start.ticks && start.ticks <= untilTicks,
  )
}
