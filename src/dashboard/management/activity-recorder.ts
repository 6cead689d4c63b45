import { LaterWrites } from '../../platform/process/later-writes.ts'
import type { ActivityStatus } from './activity-schemas.ts'
import type { ActivityKind, ActivityRow, ActivityTable } from './activity-table.ts'

/** The maximum number of kept requests, across all processes. */
export const keptActivity = { failure: 1_000, own: 500, change: 5_000 } as const

/** The minimum interval between database writes of a process. */
const flushEveryMs = 1_000

/** The maximum number of requests kept per interval; if there are more, the latest ones are kept. */
const notedAtOnce = { failure: 200, own: 50, change: 100 } as const

/** The maximum length of stored text: clients choose keys, buckets and quoted values. */
const maxTextLength = 1_024

export type NotedRequest = Omit<ActivityStatus, 'at' | 'isFailure' | 'more'> & {
  /** Milliseconds since the epoch. */
  readonly atMs: number
}

/**
 * Records this process's failed requests and changes in the database, which all processes share. No request waits
 * for the write. A flood costs one write per second, because only the latest requests are kept; dropped changes are
 * counted.
 */
export class ActivityRecorder {
  readonly #table: ActivityTable
  /** Ring buffers: the oldest entries are overwritten. */
  #waiting: Readonly<Record<ActivityKind, NotedRequest[]>> = noneWaiting()
  #noted = { ...nothingNoted }
  readonly #writes = new LaterWrites({
    write: () => this.#writeWaiting(),
    delayMs: flushEveryMs,
    onFailure: () => undefined,
  })

  constructor(table: ActivityTable) {
    this.#table = table
  }

  note(kind: ActivityKind, noted: NotedRequest): void {
    this.#waiting[kind][this.#noted[kind] % notedAtOnce[kind]] = noted
    this.#noted[kind] += 1
    this.#writes.schedule()
  }

  /** Like LaterWrites.flush. Rows that the database does not accept are lost. */
  flush(): Promise<void> {
    return this.#writes.flush()
  }

  close(): Promise<void> {
    return this.#writes.close()
  }

  async #writeWaiting(): Promise<void> {
    const { failure, own, change } = this.#waiting
    const left = this.#noted.change - change.length
    const rows = [
      ...failure.map((noted) => rowOf('failure', noted)),
      ...own.map((noted) => rowOf('own', noted)),
      ...change.map((noted, index) => rowOf('change', noted, index === 0 ? left : 0)),
    ]
    if (rows.length === 0) return
    this.#waiting = noneWaiting()
    this.#noted = { ...nothingNoted }
    await this.#table.add(rows).catch(() => undefined)
  }
}

const nothingNoted: Readonly<Record<ActivityKind, number>> = { failure: 0, own: 0, change: 0 }

function noneWaiting(): Record<ActivityKind, NotedRequest[]> {
  return { failure: [], own: [], change: [] }
}

function rowOf(kind: ActivityKind, { atMs, ...noted }: NotedRequest, more = 0): ActivityRow {
  const shortened = Object.entries(noted).map(([name, value]) => [name, shorten(value)])
  const json = JSON.stringify({ ...Object.fromEntries(shortened), ...(more > 0 && { more }) })
  return { requestId: noted.requestId, atMs, kind, json }
}

function shorten<Value>(value: Value): Value | string {
  if (typeof value !== 'string' || value.length <= maxTextLength) return value
  return `${value.slice(0, maxTextLength)}…`
}

/** The reverse of `rowOf`. Rows of older versions have no author. */
export function activityOf({ atMs, kind, json }: ActivityRow): ActivityStatus {
  const at = new Date(atMs).toISOString()
  const isFailure = kind !== 'change'
  return { by: null, accessKey: null, action: null, more: 0, ...JSON.parse(json), at, isFailure }
}
