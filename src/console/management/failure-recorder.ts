import type { FailureRow, FailureTable } from '../../state/stores/failures.ts'
import type { FailureStatus } from './replies.ts'

/** Remembered failed requests, across all processes. */
export const keptFailures = 200

/** The minimum interval between database writes of a process. */
const flushEveryMs = 1_000

/** The maximum length of stored text: clients choose keys, buckets and quoted values. */
const maxTextLength = 1_024

export type NotedFailure = Omit<FailureStatus, 'at'> & {
  /** Milliseconds since the epoch. */
  readonly atMs: number
}

/**
 * Writes the failed requests of this process to the database, which all processes share. No request
 * waits for it. A flood of failures costs one write per second, because only the latest are kept.
 */
export class FailureRecorder {
  readonly #table: FailureTable
  /** A ring: the oldest are overwritten. */
  #waiting: NotedFailure[] = []
  #next = 0
  #timer: NodeJS.Timeout | undefined
  /** The pending flush. Never rejects. */
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

  /**
   * Resolves when all recorded failures are written. Never rejects: failures of the database are
   * logged.
   */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    // One write at a time; later failures go with the next one.
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

/** The reverse of `rowOf`. */
export function failureOf({ atMs, json }: FailureRow): FailureStatus {
  return { ...JSON.parse(json), at: new Date(atMs).toISOString() }
}
