/**
 * Limits how much work runs at a time. Of other work, what has the lowest rank is next, then what came first. It leaves
 * the queue when its signal aborts.
 */
export class Turns {
  #free: number
  /** How to begin waiting work, and its rank at the moment. */
  readonly #waiting = new Map<() => void, () => number>()

  constructor(places: number) {
    this.#free = places
  }

  /** @throws the signal's reason if it aborts before the work begins */
  async run<Result>(
    signal: AbortSignal,
    work: () => Promise<Result>,
    rank: () => number = () => 0,
  ): Promise<Result> {
    await this.#turn(signal, rank)
    try {
      return await work()
    } finally {
      const next = this.#next()
      if (next === undefined) this.#free += 1
      else next()
    }
  }

  #next(): (() => void) | undefined {
    let [best, lowest]: [(() => void) | undefined, number] = [undefined, Number.POSITIVE_INFINITY]
    for (const [take, rank] of this.#waiting) {
      const own = rank()
      if (own < lowest) [best, lowest] = [take, own]
    }
    return best
  }

  async #turn(signal: AbortSignal, rank: () => number): Promise<void> {
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
    this.#waiting.set(take, rank)
    signal.addEventListener('abort', leave, { once: true })
    await promise
    signal.removeEventListener('abort', leave)
  }
}
