import { parentPort, type Transferable, Worker, type WorkerOptions } from 'node:worker_threads'

/** A thread ends, and its memory is freed, after being idle for this long. */
const idleMs = 5_000

interface Call<Request> {
  readonly id: number
  readonly request: Request
}

type Answer<Result> =
  | { readonly id: number; readonly result: Result }
  | { readonly id: number; readonly code: string; readonly message: string }

/** A thread for work that would block the event loop. It runs only while there is work. */
export class CallThread<Request, Result> {
  readonly #script: URL
  readonly #options: WorkerOptions
  #thread: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #lastId = 0
  #hasAnswered = false
  #holders = 0
  readonly #waiting = new Map<number, PromiseWithResolvers<Result>>()

  /** @param script a module that calls `answerCalls`. */
  constructor(script: URL, options: WorkerOptions = {}) {
    this.#script = script
    this.#options = options
  }

  /** Whether the thread is running, so that a call need not wait for its start. */
  get isStarted(): boolean {
    return this.#thread !== undefined && this.#hasAnswered
  }

  /** Calls without an answer. */
  get pending(): number {
    return this.#waiting.size
  }

  /**
   * @param transfer the parts of the request to transfer to the thread. The caller loses them.
   * @throws Error with the code of the thread's error; EIO when the thread ended;
   *   ERR_WORKER_INIT_FAILED when the system allows no more threads.
   */
  async call(request: Request, transfer: readonly Transferable[] = []): Promise<Result> {
    this.#thread ??= this.#start()
    this.#thread.ref()
    const waiting = Promise.withResolvers<Result>()
    const id = ++this.#lastId
    this.#waiting.set(id, waiting)
    const call: Call<Request> = { id, request }
    this.#thread.postMessage(call, transfer)
    return await waiting.promise
  }

  /**
   * Keeps the thread, and its script's data in memory, between calls.
   *
   * @returns a function that releases the thread; call it once
   */
  hold(): () => void {
    this.#holders += 1
    return () => {
      this.#holders -= 1
      this.#endWhenIdle()
    }
  }

  /** Ends the thread; pending calls reject. */
  async close(): Promise<void> {
    clearTimeout(this.#idle)
    await this.#thread?.terminate()
  }

  #start(): Worker {
    const thread = new Worker(this.#script, this.#options)
    this.#hasAnswered = false
    thread.on('message', (answer: Answer<Result>) => this.#receive(answer))
    let reason: Error = new Error('The thread ended.')
    thread.on('error', (error: Error) => {
      reason = error
    })
    thread.on('exit', () => {
      if (this.#thread !== thread) return
      this.#thread = undefined
      for (const { reject } of this.#waiting.values()) reject(withCode(reason.message, 'EIO'))
      this.#waiting.clear()
    })
    return thread
  }

  #receive(answer: Answer<Result>): void {
    this.#hasAnswered = true
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if ('result' in answer) waiting?.resolve(answer.result)
    else waiting?.reject(withCode(answer.message, answer.code))
    if (this.#waiting.size === 0) this.#thread?.unref()
    this.#endWhenIdle()
  }

  #endWhenIdle(): void {
    if (this.#isInUse()) return
    // One timer for many consecutive calls.
    this.#idle = this.#idle?.refresh() ?? setTimeout(() => this.#end(), idleMs).unref()
  }

  #isInUse(): boolean {
    return this.#waiting.size > 0 || this.#holders > 0
  }

  #end(): void {
    if (this.#isInUse()) return
    const thread = this.#thread
    this.#thread = undefined
    thread?.terminate().catch(() => undefined)
  }
}

/** The answer to a call. */
export interface Answered<Result> {
  readonly result: Result
  /** The parts of the result to transfer back. */
  readonly transfer: Transferable[]
}

/** In the thread: answers each call. */
export function answerCalls<Request, Result>(work: (request: Request) => Answered<Result>): void {
  parentPort?.on('message', (call: Call<Request>) => {
    answer([call], ([request]) => [work(request as Request)])
  })
}

/**
 * In the thread: answers calls with different keys together, and calls with the same key in order. If the work fails,
 * every call of the group fails.
 */
export function answerTogether<Request, Result>(
  keyOf: (request: Request) => unknown,
  work: (requests: readonly Request[]) => readonly Answered<Result>[],
): void {
  let arrived: Call<Request>[] = []
  const answerFirst = (): void => {
    const first = new Map<unknown, Call<Request>>()
    const later: Call<Request>[] = []
    for (const call of arrived) {
      const key = keyOf(call.request)
      if (first.has(key)) later.push(call)
      else first.set(key, call)
    }
    arrived = later
    answer([...first.values()], work)
    if (arrived.length > 0) setImmediate(answerFirst)
  }
  parentPort?.on('message', (call: Call<Request>) => {
    // Runs after the event loop has received all pending messages.
    if (arrived.push(call) === 1) setImmediate(answerFirst)
  })
}

function answer<Request, Result>(
  calls: readonly Call<Request>[],
  work: (requests: readonly Request[]) => readonly Answered<Result>[],
): void {
  try {
    const answers = work(calls.map(({ request }) => request))
    for (const [index, { result, transfer }] of answers.entries()) {
      const id = calls[index]?.id as number
      parentPort?.postMessage({ id, result } satisfies Answer<Result>, transfer)
    }
  } catch (error) {
    // Structured clone drops the code of an error.
    const { code } = error as NodeJS.ErrnoException
    for (const { id } of calls) {
      const failed: Answer<Result> = { id, code: code ?? '', message: String(error) }
      parentPort?.postMessage(failed)
    }
  }
}

function withCode(message: string, code: string): Error {
  return Object.assign(new Error(message), { code })
}
