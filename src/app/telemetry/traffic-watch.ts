import { expectedStatuses } from '../../dashboard/management/expected-failures.ts'
import type { Traffic, TrafficRange } from '../../dashboard/management/traffic-route.ts'
import {
  minuteMs,
  type TrafficRow,
  TrafficTable,
  trafficSums,
} from '../../dashboard/management/traffic-table.ts'
import { LaterWrites } from '../../platform/process/later-writes.ts'
import type { Database } from '../../platform/state/database.ts'
import { probeOperation } from '../gateway/gateway.ts'
import type { CallRecord, CallSink } from './calls.ts'
import type { Log } from './log.ts'
import type { RequestRecord, RequestSink } from './requests.ts'

/** Drive calls, by their names in metrics, that a request waits for and that read or change a single item. */
const timedCalls: ReadonlySet<unknown> = new Set('list head open publish copy remove'.split(' '))

type Minute = { -readonly [Name in keyof TrafficRow]: TrafficRow[Name] }

const defaultFlushMs = 10_000
/** Maximum number of minutes that are kept while the database does not respond. */
const maxMinutes = 60

interface TrafficWatchParts {
  readonly database: Pick<Database, 'read' | 'write'>
  /** Milliseconds since the epoch, the same in the processes of all gateways. */
  readonly now: () => number
  readonly log: Pick<Log, 'warn'>
  /** For tests. Default: 10 s. */
  readonly flushMs?: number
}

/** Adds up the traffic of this process per minute, and writes it from time to time, in the background. */
export class TrafficWatch implements RequestSink, CallSink {
  readonly #parts: TrafficWatchParts
  readonly #table: TrafficTable
  readonly #writes: LaterWrites
  #minutes = new Map<number, Minute>()

  constructor(parts: TrafficWatchParts) {
    this.#parts = parts
    this.#table = new TrafficTable(parts.database)
    this.#writes = new LaterWrites({
      write: () => this.#write(),
      delayMs: parts.flushMs ?? defaultFlushMs,
      onFailure: (err) => parts.log.warn({ err }, 'could not store traffic figures; will retry'),
    })
  }

  /** Dashboard pages, probes and scrapes do not count as client requests. */
  onRequest(record: RequestRecord): void {
    const { status, bytesReceived, bytesSent } = record.outcome
    if (!isOfClient(record)) return
    const minute = this.#minute()
    if (minute === undefined) return
    minute.requests += 1
    if (status >= 500) minute.failed += 1
    else if (status >= 400 && !expectedStatuses.has(status)) minute.refused += 1
    minute.receivedBytes += bytesReceived
    minute.sentBytes += bytesSent
  }

  onCall({ name, durationMs }: CallRecord): void {
    if (!timedCalls.has(name)) return
    const minute = this.#minute()
    if (minute === undefined) return
    const us = Math.round(durationMs * 1_000)
    minute.driveCalls += 1
    minute.driveUs += us
    minute.slowestUs = Math.max(minute.slowestUs, us)
  }

  /**
   * The traffic of all processes, summed per step up to now. The figures of other processes may be ten seconds old.
   *
   * @throws DatabaseError
   */
  async read({ stepMs, steps }: TrafficRange): Promise<Traffic> {
    await this.flush()
    const toMs = (Math.floor(this.#parts.now() / stepMs) + 1) * stepMs
    const fromMs = toMs - steps * stepMs
    return { fromMs, rows: await this.#table.read(stepMs, fromMs, toMs) }
  }

  /** See LaterWrites.flush. */
  flush(): Promise<void> {
    return this.#writes.flush()
  }

  close(): Promise<void> {
    return this.#writes.close()
  }

  #minute(): Minute | undefined {
    const fromMs = Math.floor(this.#parts.now() / minuteMs) * minuteMs
    let minute = this.#minutes.get(fromMs)
    if (minute === undefined) {
      if (this.#minutes.size >= maxMinutes) return undefined
      minute = { fromMs, slowestUs: 0, ...noTraffic }
      this.#minutes.set(fromMs, minute)
      this.#writes.schedule()
    }
    return minute
  }

  async #write(): Promise<void> {
    if (this.#minutes.size === 0) return
    const written = this.#minutes
    this.#minutes = new Map()
    try {
      await this.#table.add([...written.values()])
    } catch (error) {
      for (const row of written.values()) this.#keep(row)
      throw error
    }
  }

  /** Adds figures that could not be written to the next write. */
  #keep(row: Minute): void {
    const known = this.#minutes.get(row.fromMs)
    if (known === undefined) {
      this.#minutes.set(row.fromMs, row)
      return
    }
    for (const one of trafficSums) known[one] += row[one]
    known.slowestUs = Math.max(known.slowestUs, row.slowestUs)
  }
}

const noTraffic = {
  ...{ requests: 0, refused: 0, failed: 0, receivedBytes: 0, sentBytes: 0 },
  ...{ driveCalls: 0, driveUs: 0 },
}

function isOfClient({
  request: { rawPath },
  outcome: { logFields = {} },
  part,
}: RequestRecord): boolean {
  const { hostBucket, operation } = logFields
  if (hostBucket !== undefined) return true
  if (operation === probeOperation || operation === 'toDashboard') return false
  return part === 's3' || part === 'shares' || /^\/(ai\/)?v1\//.test(rawPath)
}
