/** Lets some work run at a time. The rest waits in its order, and leaves when nobody wants it any more. */
export class Turns {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(places: number) {
    this.#free = places
  }

  /** @throws the reason of the signal if it aborts first; then the work does not begin */
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
      // Whoever has got the turn already keeps it.
      if (this.#waiting.delete(take)) reject(signal.reason)
    }
    this.#waiting.add(take)
    signal.addEventListener('abort', leave, { once: true })
    await promise
    signal.removeEventListener('abort', leave)
  }
}
