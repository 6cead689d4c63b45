/** Waits in this process for places, so that only the first of them asks the database. */
export class LeaseQueue {
  readonly #taken = new Set<string>()
  readonly #waiting: Waiter[] = []

  /**
   * Resolves when all places are the caller's, who must `leave` them. First come, first served, as
   * far as places allow; nobody holds a part of what it wants.
   *
   * @throws the signal's reason
   */
  async enter(places: readonly string[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (!this.#areFree(places, this.#waiting)) await this.#wait(places, signal)
    else for (const place of places) this.#taken.add(place)
  }

  leave(places: readonly string[]): void {
    for (const place of places) this.#taken.delete(place)
    // Those that wait longer keep their places from those behind them.
    const passed: Waiter[] = []
    for (const waiter of [...this.#waiting]) {
      if (this.#areFree(waiter.places, passed)) this.#admit(waiter)
      else passed.push(waiter)
    }
  }

  #admit(waiter: Waiter): void {
    for (const place of waiter.places) this.#taken.add(place)
    this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
    waiter.admit()
  }

  #areFree(places: readonly string[], ahead: readonly Waiter[]): boolean {
    return places.every(
      (place) => !this.#taken.has(place) && !ahead.some((waiter) => waiter.places.includes(place)),
    )
  }

  #wait(places: readonly string[], signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
        reject(signal.reason)
        // Those behind may have waited for a place that only this one wanted.
        this.leave([])
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
