import { TransferRate } from './transfer-rate.ts'
import type {
  RunningUpload,
  UploadItem,
  UploadOrder,
  UploadProblem,
  UploadState,
  UploadTransport,
} from './upload-item.ts'

export interface UploadClock {
  /** Monotonic, milliseconds. */
  now(): number
  /** Gives a function that calls it off. */
  after(delayMs: number, action: () => void): () => void
}

export interface UploadQueueParts {
  readonly transport: UploadTransport
  readonly clock: UploadClock
}

export interface UploadTotals {
  readonly counts: Readonly<Record<UploadState, number>>
  readonly totalBytes: number
  readonly sentBytes: number
  /** Of paused and failed files, still to be sent: they take no part in the time left. */
  readonly idleBytes: number
}

export interface UploadQueueState {
  readonly items: readonly UploadItem[]
  readonly totals: UploadTotals
  readonly bytesPerSecond: number
  /** Nothing starts: somebody pressed pause. */
  readonly isPaused: boolean
  /** Nothing starts: there is no session. */
  readonly isBlocked: boolean
}

/** Files under way at a time. Browsers open six connections to a host; some stay for the page. */
const maxRunning = 4

/** Tries after the first, by themselves; the wait doubles from the first to the most. */
const maxRetries = 6
const firstRetryMs = 1_000
const mostRetryMs = 30_000

/** While files are sent the speed is told again, so that a line that stands still shows. */
const speedEveryMs = 1_000

/** Who looks is told no more often. */
const tellEveryMs = 200

interface Row {
  item: UploadItem
  running: RunningUpload | undefined
  retries: number
  callOff: (() => void) | undefined
}

/**
 * Files that wait, go and have gone. Holds any number: only the few that run cost more than a row. One
 * upload goes part by part in order, as the gateway takes them.
 */
export class UploadQueue {
  readonly #parts: UploadQueueParts
  readonly #listeners = new Set<() => void>()
  readonly #uploadedListeners = new Set<(item: UploadItem) => void>()
  readonly #rows = new Map<number, Row>()
  readonly #rate = new TransferRate()
  /** Ids in the order in which they start. */
  #line: number[] = []
  #nextId = 1
  #counts = noCounts()
  #totalBytes = 0
  #sentBytes = 0
  #idleBytes = 0
  #isTicking = false
  #isPaused = false
  #isBlocked = false
  #state: UploadQueueState
  #toldAtMs = Number.NEGATIVE_INFINITY
  #isTelling = false

  constructor(parts: UploadQueueParts) {
    this.#parts = parts
    this.#state = this.#read()
  }

  readonly snapshot = (): UploadQueueState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Called for every file that has arrived. */
  readonly onUploaded = (listener: (item: UploadItem) => void): (() => void) => {
    this.#uploadedListeners.add(listener)
    return () => this.#uploadedListeners.delete(listener)
  }

  /** Whether a file of this key is on its way. */
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
    if (this.#isPaused && !this.#isBlocked) this.#run(row)
    else this.#enqueue(row)
    this.#advance()
  }

  /** A failed file, from where it was. `changes` is another answer to a name that is taken. */
  retry(id: number, changes: Partial<Pick<UploadOrder, 'key' | 'mayReplace'>> = {}): void {
    const row = this.#rows.get(id)
    if (row?.item.state !== 'failed') return
    if (Object.keys(changes).length > 0) this.#forget(row)
    row.item = { ...row.item, ...changes }
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
    this.#tell()
  }

  resumeAll(): void {
    this.#isPaused = false
    this.#rate.restart()
    // What had begun goes on first.
    const paused = [...this.#rows.values()].filter(({ item }) => item.state === 'paused')
    for (const row of paused) this.#set(row, { state: 'waiting' })
    this.#line.unshift(...paused.map(({ item }) => item.id))
    this.#advance()
  }

  retryAll(): void {
    const failed = [...this.#rows.values()].filter(({ item }) => item.state === 'failed')
    for (const { item } of failed) this.retry(item.id)
  }

  cancelAll(): void {
    for (const row of [...this.#rows.values()]) {
      if (row.item.state !== 'done') this.#remove(row)
    }
    this.#isPaused = false
    this.#tell()
  }

  /** Takes the files that have arrived off the list. */
  clearDone(): void {
    for (const row of [...this.#rows.values()]) if (row.item.state === 'done') this.#remove(row)
    this.#tell()
  }

  /** There is a session again. */
  unblock(): void {
    if (!this.#isBlocked) return
    this.#isBlocked = false
    this.#rate.restart()
    this.#advance()
  }

  #advance(): void {
    while (!this.#isPaused && !this.#isBlocked && this.#counts.running < maxRunning) {
      const id = this.#line.shift()
      if (id === undefined) break
      const row = this.#rows.get(id)
      // It was paused or cancelled while it stood in line.
      if (row?.item.state === 'waiting') this.#run(row)
    }
    this.#tell()
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
    this.#tell()
  }

  #finish(row: Row): void {
    this.#rate.add(row.item.file.size - row.item.sent, this.#parts.clock.now())
    this.#set(row, { state: 'done', sent: row.item.file.size })
    row.running = undefined
    for (const listener of this.#uploadedListeners) listener(row.item)
    this.#advance()
  }

  #fail(row: Row, problem: UploadProblem): void {
    const { kind } = problem
    if (kind === 'session') {
      this.#isBlocked = true
      this.#set(row, { problem })
      this.#enqueue(row)
    } else if (kind === 'lost' || kind === 'passing') {
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

  /** First in line, ahead of what has not begun. */
  #enqueue(row: Row): void {
    this.#set(row, { state: 'waiting' })
    this.#line.unshift(row.item.id)
  }

  /** All of it has to go again. */
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
    // What was measured before a pause says nothing about the time after it.
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
      isBlocked: this.#isBlocked,
    }
  }

  #tick(): void {
    if (this.#isTicking || this.#counts.running === 0) return
    this.#isTicking = true
    this.#parts.clock.after(speedEveryMs, () => {
      this.#isTicking = false
      this.#tell()
    })
  }

  /** At once when nothing was told for a while, else when that while is over. */
  #tell(): void {
    if (this.#isTelling) return
    const { clock } = this.#parts
    const waitMs = this.#toldAtMs + tellEveryMs - clock.now()
    if (waitMs <= 0) {
      this.#toldAtMs = clock.now()
      this.#state = this.#read()
      for (const listener of this.#listeners) listener()
      this.#tick()
      return
    }
    this.#isTelling = true
    clock.after(waitMs, () => {
      this.#isTelling = false
      this.#tell()
    })
  }
}

function idleBytesOf({ state, file, sent }: UploadItem): number {
  return state === 'paused' || state === 'failed' ? file.size - sent : 0
}

function noCounts(): Record<UploadState, number> {
  return { waiting: 0, running: 0, paused: 0, retrying: 0, failed: 0, done: 0 }
}
