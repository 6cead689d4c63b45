/** Waits in this process for places, so that only the first of them asks the database. */
export class LeaseQueue {
  readonly #taken = new Set<string>()
  readonly #waiting: Waiter[] = []

  /**
   * Resolves when all places are the caller's, who must `leave` them. Who has waited longer gets
   * them first, but blocks no one from a place that it can't have yet: the holder of one place may
   * be waiting for another before it can go on.
   *
   * @throws the signal's reason
   */
  async enter(places: readonly string[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#areFree(places)) this.#takeAll(places)
    else await this.#wait(places, signal)
  }

  leave(places: readonly string[]): void {
    for (const place of places) this.#taken.delete(place)
    for (const waiter of [...this.#waiting]) {
      if (!this.#areFree(waiter.places)) continue
      this.#takeAll(waiter.places)
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
      waiter.admit()
    }
  }

  #areFree(places: readonly string[]): boolean {
    return places.every((place) => !this.#taken.has(place))
  }

  #takeAll(places: readonly string[]): void {
    for (const place of places) this.#taken.add(place)
  }

  #wait(places: readonly string[], signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
        reject(signal.reason)
      }
      const admit = () => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      }
      const waiter: Waiter = { places, admit }
      this.#waiting.push(waiter)
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }
}

interface Waiter {
  readonly places: readonly string[]
  admit(): void
}
