/** Lets a number of tasks run at the same time; the others wait for their turn, in order. */
export class Slots {
  readonly #waiting = new Set<() => void>()
  #free: number

  constructor(count: number) {
    this.#free = count
  }

  /**
   * Runs a task when there is room.
   *
   * @throws the reason of the signal when it aborts before the task began.
   */
  async run<Result>(signal: AbortSignal, task: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--
    else await this.#turn(signal)
    try {
      return await task()
    } finally {
      this.#handOn()
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      this.#waiting.delete(enter)
      reject(signal.reason)
    }
    const enter = () => {
      signal.removeEventListener('abort', leave)
      resolve()
    }
    if (signal.aborted) reject(signal.reason)
    else {
      this.#waiting.add(enter)
      signal.addEventListener('abort', leave, { once: true })
    }
    return promise
  }

  /** A slot goes straight to who waits longest, so that nobody overtakes. */
  #handOn(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free++
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
