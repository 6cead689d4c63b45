import { TransferRate } from '../transfers/transfer-rate.ts'
import type {
  RunningUpload,
  UploadItem,
  UploadOrder,
  UploadProblem,
  UploadState,
  UploadTransport,
} from './upload-item.ts'

interface UploadClock {
  /** Monotonic, milliseconds. */
  now(): number
  /** Returns a function that cancels the timer. */
  after(delayMs: number, action: () => void): () => void
}

interface UploadQueueParts {
  readonly transport: UploadTransport
  readonly clock: UploadClock
  /** Called for every uploaded file. */
  readonly onUploaded: (item: UploadItem) => void
}

export interface UploadTotals {
  readonly counts: Readonly<Record<UploadState, number>>
  readonly totalBytes: number
  readonly sentBytes: number
  /** Unsent bytes of paused and failed files, which do not count for the remaining time. */
  readonly idleBytes: number
}

export interface UploadQueueState {
  readonly items: readonly UploadItem[]
  readonly totals: UploadTotals
  readonly bytesPerSecond: number
  /** No upload starts: the queue is paused. */
  readonly isPaused: boolean
}

/** Concurrent uploads. Browsers open six connections per host; some are left for the page. */
const maxRunning = 4

/** Automatic retries; the delay doubles from the first to the maximum. */
const maxRetries = 6
const firstRetryMs = 1_000
const mostRetryMs = 30_000

/** During uploads the speed is updated at this interval, so that a stalled connection shows. */
const speedEveryMs = 1_000

/** The minimum interval between notifications of listeners. */
const notifyEveryMs = 200

interface Row {
  item: UploadItem
  running: RunningUpload | undefined
  retries: number
  callOff: (() => void) | undefined
}

/**
 * Queued, running and finished uploads. Handles any number: only running uploads cost more than a
 * row. An upload sends its parts in order, as the gateway requires.
 */
export class UploadQueue {
  readonly #parts: UploadQueueParts
  readonly #listeners = new Set<() => void>()
  readonly #rows = new Map<number, Row>()
  readonly #rate = new TransferRate()
  /** Ids in start order. */
  #line: number[] = []
  #nextId = 1
  #counts = noCounts()
  #totalBytes = 0
  #sentBytes = 0
  #idleBytes = 0
  #isTicking = false
  #isPaused = false
  #state: UploadQueueState
  #notifiedAtMs = Number.NEGATIVE_INFINITY
  #isNotifying = false

  constructor(parts: UploadQueueParts) {
    this.#parts = parts
    this.#state = this.#read()
  }

  readonly snapshot = (): UploadQueueState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Whether an upload to this key is unfinished. */
  isUnderWay(bucket: string, key: string): boolean {
    for (const { item } of this.#rows.values()) {
      if (item.key === key && item.bucket === bucket && item.state !== 'done') return true
    }
    return false
  }

  add(orders: readonly UploadOrder[]): void {
    for (const order of orders) {
      const id = this.#nextId
      this.#nextId += 1
      const item: UploadItem = { ...order, id, state: 'waiting', sent: 0, problem: undefined }
      this.#rows.set(id, { item, running: undefined, retries: 0, callOff: undefined })
      this.#counts.waiting += 1
      this.#totalBytes += order.file.size
      this.#line.push(id)
    }
    this.#advance()
  }

  pause(id: number): void {
    const row = this.#rows.get(id)
    if (row === undefined) return
    if (row.item.state === 'running') row.running?.pause()
    else if (row.item.state !== 'waiting' && row.item.state !== 'retrying') return
    row.callOff?.()
    this.#set(row, { state: 'paused' })
    this.#advance()
  }

  resume(id: number): void {
    const row = this.#rows.get(id)
    if (row?.item.state !== 'paused') return
    if (this.#isPaused) this.#run(row)
    else this.#enqueue(row)
    this.#advance()
  }

  /** Resumes a failed upload. `mayReplace` resolves a name conflict. */
  retry(id: number, { mayReplace = false } = {}): void {
    const row = this.#rows.get(id)
    if (row?.item.state !== 'failed') return
    if (mayReplace) {
      this.#forget(row)
      row.item = { ...row.item, mayReplace }
    }
    row.retries = 0
    this.#enqueue(row)
    this.#advance()
  }

  cancel(id: number): void {
    const row = this.#rows.get(id)
    if (row === undefined) return
    this.#remove(row)
    this.#advance()
  }

  pauseAll(): void {
    this.#isPaused = true
    for (const { item } of this.#rows.values()) {
      if (item.state === 'running' || item.state === 'retrying') this.pause(item.id)
    }
    this.#notify()
  }

  resumeAll(): void {
    this.#isPaused = false
    this.#rate.restart()
    // Started uploads resume first.
    const paused = [...this.#rows.values()].filter(({ item }) => item.state === 'paused')
    for (const row of paused) this.#set(row, { state: 'waiting' })
    this.#line.unshift(...paused.map(({ item }) => item.id))
    this.#advance()
  }

  retryAll(): void {
    const failed = [...this.#rows.values()].filter(({ item }) => item.state === 'failed')
    for (const { item } of failed) this.retry(item.id)
  }

  /** Cancels what has failed, with the parts that are kept. */
  discardFailed(): void {
    for (const row of [...this.#rows.values()]) if (row.item.state === 'failed') this.#remove(row)
    this.#notify()
  }

  cancelAll(): void {
    for (const row of [...this.#rows.values()]) {
      if (row.item.state !== 'done') this.#remove(row)
    }
    this.#isPaused = false
    this.#notify()
  }

  /** Removes finished uploads from the list. */
  clearDone(): void {
    for (const row of [...this.#rows.values()]) if (row.item.state === 'done') this.#remove(row)
    this.#notify()
  }

  /** Called when the service responds again: tries at once what failed without it. */
  reconnect(): void {
    for (const row of this.#rows.values()) {
      const { state, problem } = row.item
      if (problem?.kind !== 'passing' || (state !== 'retrying' && state !== 'failed')) continue
      row.callOff?.()
      row.retries = 0
      this.#enqueue(row)
    }
    this.#advance()
  }

  #advance(): void {
    while (!this.#isPaused && this.#counts.running < maxRunning) {
      const id = this.#line.shift()
      if (id === undefined) break
      const row = this.#rows.get(id)
      // Skips uploads that were paused or cancelled while queued.
      if (row?.item.state === 'waiting') this.#run(row)
    }
    this.#notify()
  }

  #run(row: Row): void {
    const wasFailed = row.item.problem !== undefined
    this.#set(row, { state: 'running', problem: undefined })
    if (row.running !== undefined) {
      if (wasFailed) row.running.retry()
      else row.running.resume()
      return
    }
    const isCurrent = (): boolean => row.running === running && this.#rows.has(row.item.id)
    const running: RunningUpload = this.#parts.transport.start(row.item, {
      onProgress: (sent) => {
        if (isCurrent() && row.item.state === 'running') this.#progress(row, sent)
      },
      onDone: () => {
        if (isCurrent()) this.#finish(row)
      },
      onProblem: (problem) => {
        if (isCurrent()) this.#fail(row, problem)
      },
    })
    row.running = running
  }

  #progress(row: Row, sent: number): void {
    this.#rate.add(sent - row.item.sent, this.#parts.clock.now())
    this.#set(row, { sent })
    this.#notify()
  }

  #finish(row: Row): void {
    this.#rate.add(row.item.file.size - row.item.sent, this.#parts.clock.now())
    this.#set(row, { state: 'done', sent: row.item.file.size })
    row.running = undefined
    this.#parts.onUploaded(row.item)
    this.#advance()
  }

  #fail(row: Row, problem: UploadProblem): void {
    const { kind } = problem
    if (kind === 'lost' || kind === 'passing') {
      if (kind === 'lost') this.#forget(row)
      this.#retryLater(row, problem)
    } else {
      this.#set(row, { state: 'failed', problem })
    }
    this.#advance()
  }

  #retryLater(row: Row, problem: UploadProblem): void {
    if (row.retries >= maxRetries) {
      this.#set(row, { state: 'failed', problem })
      return
    }
    const delayMs = Math.min(firstRetryMs * 2 ** row.retries, mostRetryMs)
    row.retries += 1
    this.#set(row, { state: 'retrying', problem })
    row.callOff = this.#parts.clock.after(delayMs, () => {
      if (row.item.state !== 'retrying') return
      this.#enqueue(row)
      this.#advance()
    })
  }

  /** Moves an upload to the front, ahead of those that have not started. */
  #enqueue(row: Row): void {
    this.#set(row, { state: 'waiting' })
    this.#line.unshift(row.item.id)
  }

  /** Everything has to be sent again. */
  #forget(row: Row): void {
    row.running?.cancel()
    row.running = undefined
    this.#set(row, { sent: 0, problem: undefined })
  }

  #remove(row: Row): void {
    row.callOff?.()
    const { running, item } = row
    row.running = undefined
    this.#rows.delete(item.id)
    running?.cancel()
    this.#counts[item.state] -= 1
    this.#totalBytes -= item.file.size
    this.#sentBytes -= item.sent
    this.#idleBytes -= idleBytesOf(item)
  }

  #set(row: Row, changes: Partial<Pick<UploadItem, 'state' | 'sent' | 'problem'>>): void {
    const before = row.item
    row.item = { ...before, ...changes }
    this.#counts[before.state] -= 1
    this.#counts[row.item.state] += 1
    this.#sentBytes += row.item.sent - before.sent
    this.#idleBytes += idleBytesOf(row.item) - idleBytesOf(before)
    // The speed before a pause says nothing about the time after it.
    if (this.#counts.running === 0) this.#rate.restart()
  }

  #read(): UploadQueueState {
    return {
      items: [...this.#rows.values()].map(({ item }) => item),
      totals: {
        counts: { ...this.#counts },
        totalBytes: this.#totalBytes,
        sentBytes: this.#sentBytes,
        idleBytes: this.#idleBytes,
      },
      bytesPerSecond: this.#rate.bytesPerSecond(this.#parts.clock.now()),
      isPaused: this.#isPaused,
    }
  }

  #tick(): void {
    if (this.#isTicking || this.#counts.running === 0) return
    this.#isTicking = true
    this.#parts.clock.after(speedEveryMs, () => {
      this.#isTicking = false
      this.#notify()
    })
  }

  /** Notifies listeners immediately, or after the minimum interval. */
  #notify(): void {
    if (this.#isNotifying) return
    const { clock } = this.#parts
    const waitMs = this.#notifiedAtMs + notifyEveryMs - clock.now()
    if (waitMs <= 0) {
      this.#notifiedAtMs = clock.now()
      this.#state = this.#read()
      for (const listener of this.#listeners) listener()
      this.#tick()
      return
    }
    this.#isNotifying = true
    clock.after(waitMs, () => {
      this.#isNotifying = false
      this.#notify()
    })
  }
}

function idleBytesOf({ state, file, sent }: UploadItem): number {
  return state === 'paused' || state === 'failed' ? file.size - sent : 0
}

function noCounts(): Record<UploadState, number> {
  return { waiting: 0, running: 0, paused: 0, retrying: 0, failed: 0, done: 0 }
}
