/** Maximum keys for one call of `remove`. */
const batchSize = 512

export interface LazyDeletesOptions {
  /** Minimum time that a key waits, milliseconds. */
  readonly delayMs: number
  /** Maximum waiting keys; further keys are dropped and never deleted. */
  readonly maxWaiting: number
  /** Deletes the keys. If it rejects, the keys are dropped. */
  readonly remove: (keys: readonly string[]) => Promise<void>
}

/** By then, readers in other processes no longer need the rows. */
const closingDelayMs = 5_000

/**
 * Deletes unneeded rows later, many at a time. Nothing may depend on it: waiting keys are lost when the
 * process is killed.
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

  /** Deletes the keys that have waited long enough, and drops the rest. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#removeUntil(performance.now() + Math.max(0, this.#options.delayMs - closingDelayMs))
    clearTimeout(this.#timer)
    this.#dueAt.clear()
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#dueAt.size === 0) return
    // Most waiting keys are due after one delay: deletes are rare and come in groups.
    this.#timer = setTimeout(() => this.#removeDue(), this.#options.delayMs)
    this.#timer.unref()
  }

  async #removeDue(): Promise<void> {
    await this.#removeUntil(performance.now())
    this.#timer = undefined
    this.#schedule()
  }

  async #removeUntil(dueAt: number): Promise<void> {
    try {
      for (let keys = this.#take(dueAt); keys.length > 0; keys = this.#take(dueAt)) {
        await this.#options.remove(keys)
      }
    } catch {
      // The database is unavailable: the unneeded rows stay.
    }
  }

  #take(untilAt: number): string[] {
    const keys: string[] = []
    for (const [key, dueAt] of this.#dueAt) {
      if (dueAt > untilAt || keys.length >= batchSize) break
      this.#dueAt.delete(key)
      keys.push(key)
    }
    return keys
  }
}
