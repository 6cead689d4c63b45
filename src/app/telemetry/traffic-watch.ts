import { ordinaryStatuses } from '../../dashboard/management/ordinary-failures.ts'
import type { Traffic, TrafficRange } from '../../dashboard/management/traffic-route.ts'
import {
  minuteMs,
  type TrafficRow,
  TrafficTable,
  trafficSums,
} from '../../dashboard/management/traffic-table.ts'
import type { Outcome } from '../../platform/http/exchange.ts'
import type { HttpRequest } from '../../platform/http/message.ts'
import { LaterWrites } from '../../platform/process/later-writes.ts'
import type { Database } from '../../platform/state/database.ts'
import type { Drive } from '../../storage/drives/drive.ts'
import { partOf, probeOperation } from '../gateway/gateway.ts'
import type { Log } from './log.ts'
import { type Observed, type Observer, observed } from './observed.ts'

/** Calls that a request waits for and that read or change one thing. */
const timedCalls = {
  list: { result: { next: { name: 'list' } } },
  head: { name: 'head' },
  open: { name: 'open' },
  draft: { result: { publish: { name: 'publish' } } },
  copy: { name: 'copy' },
  remove: { name: 'remove' },
} satisfies Observed

type Minute = { -readonly [Name in keyof TrafficRow]: TrafficRow[Name] }

const defaultFlushMs = 10_000
/** More minutes than this, while the database does not answer, are not kept. */
const maxMinutes = 60

interface TrafficWatchParts {
  readonly database: Pick<Database, 'read' | 'write'>
  /** Milliseconds since the epoch, of which the processes of all gateways know the same. */
  readonly now: () => number
  readonly log: Pick<Log, 'warn'>
  /** For tests. Default: 10 s. */
  readonly flushMs?: number
}

/** Adds up the traffic of this process by the minute, and writes it from time to time, off the path of requests. */
export class TrafficWatch implements Observer {
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
      onFailure: (err) =>
        parts.log.warn({ err }, 'could not store figures of traffic: they are stored later'),
    })
  }

  /** For every finished request. Those of the dashboard's pages, probes and scrapes are none of clients. */
  onFinish({ rawPath }: Pick<HttpRequest, 'rawPath'>, outcome: Outcome): void {
    const { status, logFields, bytesReceived, bytesSent } = outcome
    if (!isOfClient(rawPath, logFields)) return
    const minute = this.#minute()
    if (minute === undefined) return
    minute.requests += 1
    if (status >= 500) minute.failed += 1
    else if (status >= 400 && !ordinaryStatuses.has(status)) minute.refused += 1
    minute.receivedBytes += bytesReceived
    minute.sentBytes += bytesSent
  }

  /** The drive with its calls timed. */
  watch(drive: Drive): Drive {
    return observed(drive, timedCalls, this)
  }

  call<Result>(_name: string, _given: readonly unknown[], work: () => Result): Result {
    const startedAt = performance.now()
    const result = work()
    const finish = () => this.#timed((performance.now() - startedAt) * 1_000)
    if (result instanceof Promise) result.then(finish, finish)
    else finish()
    return result
  }

  ofResult(): this {
    return this
  }

  /**
   * Of all processes, added up by steps up to now: of this process until now, of others until ten seconds ago.
   *
   * @throws DatabaseError
   */
  async read({ stepMs, steps }: TrafficRange): Promise<Traffic> {
    await this.flush()
    const toMs = (Math.floor(this.#parts.now() / stepMs) + 1) * stepMs
    const fromMs = toMs - steps * stepMs
    return { fromMs, rows: await this.#table.read(stepMs, fromMs, toMs) }
  }

  /** As LaterWrites.flush. */
  flush(): Promise<void> {
    return this.#writes.flush()
  }

  close(): Promise<void> {
    return this.#writes.close()
  }

  #timed(us: number): void {
    const minute = this.#minute()
    if (minute === undefined) return
    minute.driveCalls += 1
    minute.driveUs += Math.round(us)
    minute.slowestUs = Math.max(minute.slowestUs, Math.round(us))
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

  /** What could not be written goes with the next write. */
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

function isOfClient(rawPath: string, logFields: Outcome['logFields'] = {}): boolean {
  if (logFields.hostBucket !== undefined) return true
  const { operation } = logFields
  if (operation === probeOperation || operation === 'toDashboard') return false
  const part = partOf(rawPath)
  return part === 's3' || part === 'shares' || rawPath.startsWith('/v1/')
}
