/** Maximum keys for one call of `remove`. */
const batchSize = 512

export interface LazyDeletesOptions {
  /** Minimum wait of a key, milliseconds. */
  readonly delayMs: number
  /** Maximum waiting keys; further keys are dropped and never deleted. */
  readonly maxWaiting: number
  /** Deletes the keys. If it rejects, they are dropped. */
  readonly remove: (keys: readonly string[]) => Promise<void>
}

/**
 * Deletes unneeded rows later, many at a time. Nothing depends on it: keys that wait
 * are lost when the process ends.
 */
export class LazyDeletes {
  readonly #options: LazyDeletesOptions
  /** When each key is due (performance.now()), the earliest first: all wait equally long. */
  readonly #dueAt = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: LazyDeletesOptions) {
    this.#options = options
  }

  add(key: string): void {
    this.#dueAt.delete(key)
    if (this.#dueAt.size >= this.#options.maxWaiting) return
    this.#dueAt.set(key, performance.now() + this.#options.delayMs)
    this.#schedule()
  }

  /** The key is in use again. */
  cancel(key: string): void {
    this.#dueAt.delete(key)
  }

  /** Drops waiting keys. */
  close(): void {
    clearTimeout(this.#timer)
    this.#dueAt.clear()
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#dueAt.size === 0) return
    // Most waiting keys are due after one delay: deletes are rare, and come many at a time.
    this.#timer = setTimeout(() => this.#removeDue(), this.#options.delayMs)
    this.#timer.unref()
  }

  async #removeDue(): Promise<void> {
    try {
      for (let keys = this.#takeDue(); keys.length > 0; keys = this.#takeDue()) {
        await this.#options.remove(keys)
      }
    } catch {
      // The database is unavailable: the unneeded rows stay.
    }
    this.#timer = undefined
    this.#schedule()
  }

  #takeDue(): string[] {
    const now = performance.now()
    const keys: string[] = []
    for (const [key, dueAt] of this.#dueAt) {
      if (dueAt > now || keys.length >= batchSize) break
      this.#dueAt.delete(key)
      keys.push(key)
    }
    return keys
  }
}
