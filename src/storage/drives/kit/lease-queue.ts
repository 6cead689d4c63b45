/** Queues this process's callers that wait for keys: only the first one for each key queries the database. */
export class LeaseQueue {
  readonly #taken = new Set<string>()
  readonly #waiting: Waiter[] = []

  /**
   * Resolves when the caller has all keys, which it must `leave`. The caller that has waited longest gets them first, but
   * does not block a free key while another of its keys is taken, because the holder of that one may need it to continue.
   *
   * @throws the signal's reason
   */
  async enter(keys: readonly string[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#areFree(keys)) this.#takeAll(keys)
    else await this.#wait(keys, signal)
  }

  leave(keys: readonly string[]): void {
    for (const key of keys) this.#taken.delete(key)
    for (const waiter of [...this.#waiting]) {
      if (!this.#areFree(waiter.keys)) continue
      this.#takeAll(waiter.keys)
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
      waiter.admit()
    }
  }

  #areFree(keys: readonly string[]): boolean {
    return keys.every((key) => !this.#taken.has(key))
  }

  #takeAll(keys: readonly string[]): void {
    for (const key of keys) this.#taken.add(key)
  }

  #wait(keys: readonly string[], signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
        reject(signal.reason)
      }
      const admit = () => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      }
      const waiter: Waiter = { keys, admit }
      this.#waiting.push(waiter)
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }
}

interface Waiter {
  readonly keys: readonly string[]
  admit(): void
}
