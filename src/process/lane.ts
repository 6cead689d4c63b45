/** A bounded number of tasks at a time; the others wait in order. */
export class Lane {
  readonly #waiting = new Set<() => void>()
  #free: number

  constructor(size: number) {
    this.#free = size
  }

  /** As `enter`, where there is a place right now; otherwise undefined. */
  enterNow(): (() => void) | undefined {
    if (this.#free === 0) return undefined
    this.#free--
    return this.#leaver()
  }

  /**
   * Resolves with a function that gives the place back; calling it again has no effect.
   *
   * @throws the signal's reason when it aborts before there is a place.
   */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    const leave = this.enterNow()
    if (leave !== undefined) return leave
    await this.#turn(signal)
    return this.#leaver()
  }

  /**
   * Runs a task when there is a place.
   *
   * @throws the signal's reason when it aborts before the task began.
   */
  async run<Result>(signal: AbortSignal, task: () => Promise<Result>): Promise<Result> {
    const leave = await this.enter(signal)
    try {
      return await task()
    } finally {
      leave()
    }
  }

  #leaver(): () => void {
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#handOn()
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      this.#waiting.delete(begin)
      reject(signal.reason)
    }
    const begin = () => {
      signal.removeEventListener('abort', leave)
      resolve()
    }
    this.#waiting.add(begin)
    signal.addEventListener('abort', leave, { once: true })
    return promise
  }

  /** A place goes straight to who waits longest, so that nobody overtakes. */
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
