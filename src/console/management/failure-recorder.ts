import type { FailureRow, FailureTable } from '../../state/failures.ts'
import type { FailureStatus } from './replies.ts'

/** Failed requests that are remembered, of all processes together. */
export const keptFailures = 200

/** At most so often a process writes to the database what has failed. */
const flushEveryMs = 1_000

/** Longest text that is kept: clients choose keys, buckets and what messages quote of them. */
const maxTextLength = 1_024

export type NotedFailure = Omit<FailureStatus, 'at'> & {
  /** Milliseconds since the epoch. */
  readonly atMs: number
}

/**
 * The failed requests of this process on their way to the database, where all processes meet. No
 * request waits for it, and a flood of them costs one write a second: only the latest are kept, here
 * as well.
 */
export class FailureRecorder {
  readonly #table: FailureTable
  /** A ring: the oldest are overwritten. */
  #waiting: NotedFailure[] = []
  #next = 0
  #timer: NodeJS.Timeout | undefined
  /** What was flushed so far. Never rejects. */
  #flushed = Promise.resolve()
  #isClosed = false

  constructor(table: FailureTable) {
    this.#table = table
  }

  note(failure: NotedFailure): void {
    this.#waiting[this.#next] = failure
    this.#next = (this.#next + 1) % keptFailures
    if (this.#timer !== undefined || this.#isClosed) return
    this.#timer = setTimeout(() => void this.flush(), flushEveryMs)
    this.#timer.unref()
  }

  /** Resolves when all that was noted is written. Never rejects: what the database lost, the log has. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    // One write at a time; what comes meanwhile goes with the next.
    this.#flushed = this.#flushed.then(() => this.#writeWaiting())
    return this.#flushed
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.flush()
  }

  async #writeWaiting(): Promise<void> {
    if (this.#waiting.length === 0) return
    const rows = this.#waiting.map(rowOf)
    this.#waiting = []
    this.#next = 0
    await this.#table.add(rows).catch(() => undefined)
  }
}

function rowOf({ atMs, ...failure }: NotedFailure): FailureRow {
  const shortened = Object.entries(failure).map(([name, value]) => [name, shorten(value)])
  return {
    requestId: failure.requestId,
    atMs,
    json: JSON.stringify(Object.fromEntries(shortened)),
  }
}

function shorten<Value>(value: Value): Value | string {
  if (typeof value !== 'string' || value.length <= maxTextLength) return value
  return `${value.slice(0, maxTextLength)}…`
}

/** What `rowOf` kept. */
export function failureOf({ atMs, json }: FailureRow): FailureStatus {
  return { ...JSON.parse(json), at: new Date(atMs).toISOString() }
}
