import { type ProcessName, startOf } from './identity.ts'

/** A gateway that has ended, according to the database. */
interface EndedGateway {
  /** Its primary process. */
  readonly process: ProcessName
  /** The latest time at which its processes may have started: clock ticks of its host since boot. */
  readonly untilTicks: number
}

interface Span {
  readonly fromTicks: number
  readonly untilTicks: number
}

/**
 * How long `hasEnded` relies on the last reply of the database. A gateway that seemed to have ended may register again,
 * which this process does not notice while the database does not respond. Revisions are read every second.
 */
const maxAgeMs = 5_000

let ended: ReadonlyMap<string, readonly Span[]> = new Map()
let confirmedAtMs = Number.NEGATIVE_INFINITY

/**
 * Sets the ended gateways of other hosts, for `hasEnded`. Like `livenessOf`, this is global to the process: all drives
 * and leases share it.
 *
 * @param running the primary processes of running gateways: processes on their hosts never count as ended
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
 * Whether a process of another host belonged to a gateway that has ended, because it started during the life of that
 * gateway. A suspended gateway also seems to have ended, but may continue: a takeover from its processes must be safe
 * against that, as with an expired lease. False if the database has not confirmed the end for five seconds.
 */
export function hasEnded(name: ProcessName): boolean {
  const start = startOf(name)
  if (start === undefined || performance.now() - confirmedAtMs > maxAgeMs) return false
  const spans = ended.get(start.host) ?? []
  return spans.some(
    ({ fromTicks, untilTicks }) => fromTicks <= start.ticks && start.ticks <= untilTicks,
  )
}
