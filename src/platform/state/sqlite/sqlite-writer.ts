import type { Worker } from 'node:worker_threads'
import { DatabaseError, type Statement, UnmetChange, type WriteResult } from '../database.ts'
import type { CallOutcome } from './group-commit.ts'

/** Maximum calls that share one commit. */
const maxGroup = 256

/** After being idle for this long, the thread ends and its memory is freed. */
const idleMs = 60_000

/** Maximum number of waiting calls, to limit memory; further calls are refused. */
const maxWaiting = 20_000

export type ThreadRequest = GroupRequest | { readonly kind: 'close' }

export interface GroupRequest {
  readonly kind: 'write'
  readonly calls: readonly (readonly Statement[])[]
  /** Whether all of them are (CallOptions). */
  readonly isRelaxed: boolean
}

export type ThreadReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'outcomes'; readonly outcomes: readonly TransferredOutcome[] }
  /** The whole group failed, or the file could not be opened. */
  | { readonly kind: 'failed'; readonly failure: SqliteFailure }

/** A failure in a form that can be sent between threads. */
export interface SqliteFailure {
  readonly message: string
  readonly cause: unknown
}

export type TransferredOutcome =
  | Exclude<CallOutcome, { kind: 'failed' }>
  | { readonly kind: 'failed'; readonly failure: SqliteFailure }

interface Call {
  readonly statements: readonly Statement[]
  readonly isRelaxed: boolean
  readonly resolve: (results: WriteResult[]) => void
  readonly reject: (error: Error) => void
}

/** Commits in the calling thread: OwnCommits. */
export interface EarlyCommits {
  commit(request: GroupRequest): ThreadReply | undefined
  close(): void
}

/**
 * Sends writes to the writer thread, one group at a time: while one group is synced to disk, calls collect
 * for the next one. The thread runs while there are writes. If it dies, its group fails, and the next write
 * starts another thread. Before `endEarly`, the calling thread commits itself.
 */
export class SqliteWriter {
  readonly #startThread: () => Worker
  #early: EarlyCommits | undefined
  #thread: Worker | undefined
  #isThreadReady = false
  #idle: NodeJS.Timeout | undefined
  #isPumpScheduled = false
  #isClosed = false
  #waiting: Call[] = []
  #group: Call[] = []
  #whenIdle: (() => void) | undefined
  /** Resolves when the thread that was last told to close has closed the file. */
  #ending: Promise<void> | undefined

  /**
   * @param startThread Starts sqlite-writer-thread.ts.
   * @param early for the writes before `endEarly`. Default: the thread also runs these.
   */
  constructor(startThread: () => Worker, early?: EarlyCommits) {
    this.#startThread = startThread
    this.#early = early
  }

  /** From now on, no write blocks the calling thread. */
  endEarly(): void {
    this.#early?.close()
    this.#early = undefined
  }

  /** The number of calls that are not committed yet. */
  get waiting(): number {
    return this.#waiting.length + this.#group.length
  }

  /** See Database.write. */
  write(statements: readonly Statement[], isRelaxed = false): Promise<WriteResult[]> {
    if (this.#isClosed) return Promise.reject(new DatabaseError('the database is closed'))
    if (this.#waiting.length >= maxWaiting) {
      return Promise.reject(new DatabaseError(`more than ${maxWaiting} writes are waiting`))
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ statements, isRelaxed, resolve, reject })
      this.#schedulePump()
    })
  }

  /** Resolves when all accepted calls are written and the thread has closed the file. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#isBusy()) {
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve
      })
    }
    clearTimeout(this.#idle)
    this.endEarly()
    this.#endThread()
    await this.#ending
  }

  #endThread(): void {
    const thread = this.#thread
    if (thread === undefined || this.#isBusy()) return
    this.#thread = undefined
    thread.ref()
    this.#ending = new Promise((resolve) => thread.once('exit', () => resolve()))
    thread.postMessage({ kind: 'close' } satisfies ThreadRequest)
  }

  /** Waits for the end of this turn of the event loop, so that its calls form one group. */
  #schedulePump(): void {
    if (this.#isPumpScheduled) return
    this.#isPumpScheduled = true
    setImmediate(() => {
      this.#isPumpScheduled = false
      this.#pump()
    })
  }

  #pump(): void {
    if (this.#group.length > 0) return
    if (this.#waiting.length === 0) {
      // An idle thread does not keep the process from ending.
      this.#thread?.unref()
      this.#idle = this.#idle?.refresh() ?? setTimeout(() => this.#endThread(), idleMs).unref()
      this.#whenIdle?.()
      return
    }
    if (this.#commitEarly()) return
    this.#thread ??= this.#start()
    this.#thread?.ref()
    if (this.#thread === undefined || !this.#isThreadReady) return
    this.#group = this.#waiting.splice(0, maxGroup)
    const calls = this.#group.map((call) => call.statements)
    const isRelaxed = this.#group.every((call) => call.isRelaxed)
    try {
      this.#thread.postMessage({ kind: 'write', calls, isRelaxed } satisfies ThreadRequest)
    } catch (error) {
      this.#rejectGroup(
        new DatabaseError('a statement has a parameter that is not an SQL value', { cause: error }),
      )
      this.#schedulePump()
    }
  }

  /** False if the thread has to commit. */
  #commitEarly(): boolean {
    if (this.#early === undefined) return false
    const group = this.#waiting.slice(0, maxGroup)
    const calls = group.map((call) => call.statements)
    const isRelaxed = group.every((call) => call.isRelaxed)
    const reply = this.#early.commit({ kind: 'write', calls, isRelaxed })
    if (reply === undefined) {
      // Another process writes. Waiting here would delay the handlers of signals.
      this.endEarly()
      return false
    }
    this.#group = this.#waiting.splice(0, group.length)
    this.#isThreadReady = true
    this.#receive(reply)
    return true
  }

  /** Undefined if the system allows no more threads; the waiting calls have then failed. */
  #start(): Worker | undefined {
    this.#isThreadReady = false
    try {
      return this.#listenTo(this.#startThread())
    } catch (error) {
      this.#replace(error)
      return undefined
    }
  }

  #listenTo(thread: Worker): Worker {
    let death: unknown
    thread.on('message', (reply: ThreadReply) => {
      if (this.#thread === thread) this.#receive(reply)
    })
    thread.on('error', (error) => {
      death = error
    })
    thread.on('exit', () => {
      if (this.#thread === thread) this.#replace(death)
    })
    return thread
  }

  #receive(reply: ThreadReply): void {
    if (reply.kind === 'ready') {
      this.#isThreadReady = true
    } else if (reply.kind === 'failed') {
      const { message, cause } = reply.failure
      // A failure before `ready` means that the file could not be opened: no waiting call can be served.
      if (!this.#isThreadReady) this.#group = this.#waiting.splice(0)
      this.#rejectGroup(new DatabaseError(message, { cause }))
    } else {
      const group = this.#group
      this.#group = []
      for (const [index, call] of group.entries()) answer(call, reply.outcomes[index])
    }
    this.#pump()
  }

  #replace(death: unknown): void {
    // Otherwise, a thread that can't even start would be restarted endlessly.
    if (!this.#isThreadReady) this.#group = [...this.#group, ...this.#waiting.splice(0)]
    const what = this.#isThreadReady
      ? 'died; the write may or may not be stored'
      : 'could not start; nothing was written'
    this.#thread = undefined
    this.#isThreadReady = false
    this.#rejectGroup(
      new DatabaseError(`the thread that writes to the database ${what}`, { cause: death }),
    )
    this.#pump()
  }

  #rejectGroup(error: DatabaseError): void {
    const group = this.#group
    this.#group = []
    for (const call of group) call.reject(error)
  }

  #isBusy(): boolean {
    return this.#group.length > 0 || this.#waiting.length > 0
  }
}

function answer(call: Call, outcome: TransferredOutcome | undefined): void {
  if (outcome === undefined) {
    call.reject(new DatabaseError('the thread that writes to the database lost a call'))
  } else if (outcome.kind === 'done') {
    call.resolve([...outcome.results])
  } else if (outcome.kind === 'unmet') {
    call.reject(new UnmetChange(outcome.statementIndex))
  } else {
    const { message, cause } = outcome.failure
    call.reject(new DatabaseError(message, { cause }))
  }
}
