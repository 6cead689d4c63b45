import { TransferRate } from '../transfers/transfer-rate.ts'
import {
  anyVersion,
  type RunningUpload,
  type UploadItem,
  type UploadOrder,
  type UploadProblem,
  type UploadTransport,
} from './upload-item.ts'
import { UploadSums, type UploadTotals } from './upload-totals.ts'

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

export interface UploadQueueState {
  readonly items: readonly UploadItem[]
  readonly totals: UploadTotals
  readonly bytesPerSecond: number
  /** Whether the queue is paused, so that no upload starts. */
  readonly isPaused: boolean
}

/** Automatic retries; the delay doubles from the first to the maximum. */
const maxRetries = 6
const firstRetryMs = 1_000
const mostRetryMs = 30_000

/** During uploads the speed is updated at this interval, so that a stalled connection shows. */
const speedEveryMs = 1_000

/**
 * The minimum interval between notifications of listeners. With many files, each notification updates other rows.
 */
const notifyEveryMs = 200
const notifyOfManyEveryMs = 500
const many = 500

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
  readonly #sums = new UploadSums()
  /** Ids in start order. */
  #line: number[] = []
  #nextId = 1
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

  /**
   * The keys in the bucket that have an unfinished upload. Uploads that failed because the name was taken do not
   * count: a listing shows whether it still is.
   */
  underWay(bucket: string): ReadonlySet<string> {
    const keys = new Set<string>()
    for (const { item } of this.#rows.values()) {
      const isEnded = item.state === 'done' || item.problem?.kind === 'clash'
      if (item.bucket === bucket && !isEnded) keys.add(item.key)
    }
    return keys
  }

  /** Adds a batch. */
  add(orders: readonly UploadOrder[]): void {
    const batch = this.#nextId
    for (const order of orders) {
      const id = this.#nextId
      this.#nextId += 1
      const begun = { state: 'waiting', sent: 0, problem: undefined } as const
      const item: UploadItem = { ...order, id, batch, ...begun }
      this.#rows.set(id, { item, running: undefined, retries: 0, callOff: undefined })
      this.#sums.add(item)
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

  /** Resumes a failed upload. `resolution` resolves a name conflict. */
  retry(id: number, resolution?: Pick<UploadOrder, 'key' | 'replaces'>): void {
    const row = this.#rows.get(id)
    if (row?.item.state !== 'failed') return
    if (resolution !== undefined) {
      this.#forget(row)
      row.item = { ...row.item, ...resolution }
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

  /** Cancels the failed uploads and deletes their kept parts. */
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

  /** Called when the service responds again: immediately retries uploads that failed without it. */
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
    while (!this.#isPaused) {
      const [id] = this.#line
      if (id === undefined) break
      const row = this.#rows.get(id)
      // Skips uploads that were paused or cancelled while queued.
      const isWaiting = row?.item.state === 'waiting'
      if (isWaiting && !this.#sums.hasRoomFor(row.item)) break
      this.#line.shift()
      if (isWaiting) this.#run(row)
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
    } else if (kind === 'unchecked' && row.item.replaces !== anyVersion) {
      this.#forget(row)
      row.item = { ...row.item, replaces: anyVersion }
      this.#enqueue(row)
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

  /** Forgets the progress: everything has to be sent again. */
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
    this.#sums.remove(item)
  }

  #set(row: Row, changes: Partial<Pick<UploadItem, 'state' | 'sent' | 'problem'>>): void {
    this.#sums.remove(row.item)
    row.item = { ...row.item, ...changes }
    this.#sums.add(row.item)
    // The speed before a pause says nothing about the time after it.
    if (this.#sums.counts.running === 0) this.#rate.restart()
  }

  #read(): UploadQueueState {
    return {
      items: [...this.#rows.values()].map(({ item }) => item),
      totals: this.#sums.read(),
      bytesPerSecond: this.#rate.bytesPerSecond(this.#parts.clock.now()),
      isPaused: this.#isPaused,
    }
  }

  #tick(): void {
    if (this.#isTicking || this.#sums.counts.running === 0) return
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
    const everyMs = this.#rows.size > many ? notifyOfManyEveryMs : notifyEveryMs
    const waitMs = this.#notifiedAtMs + everyMs - clock.now()
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
