/** Limits how much work runs at a time. Other work waits in order, and leaves the queue when its signal aborts. */
export class Turns {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(places: number) {
    this.#free = places
  }

  /** @throws the signal's reason if it aborts before the work begins */
  async run<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    await this.#turn(signal)
    try {
      return await work()
    } finally {
      const next = this.#waiting.values().next().value
      if (next === undefined) this.#free += 1
      else next()
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#free > 0) {
      this.#free -= 1
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const take = () => {
      this.#waiting.delete(take)
      resolve()
    }
    const leave = () => {
      // Work that already has its turn keeps it.
      if (this.#waiting.delete(take)) reject(signal.reason)
    }
    this.#waiting.add(take)
    signal.addEventListener('abort', leave, { once: true })
    await promise
    signal.removeEventListener('abort', leave)
  }
}
