interface LaterWritesParts {
  /** Writes the collected data. */
  readonly write: () => Promise<void>
  readonly delayMs: number
  /** Called for the first of consecutive failures. A failed write is retried. */
  readonly onFailure: (error: unknown) => void
}

/** Writes collected data with a delay, one write at a time. Nothing waits for a write. */
export class LaterWrites {
  readonly #parts: LaterWritesParts
  #last = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #isFailing = false
  #isClosed = false

  constructor(parts: LaterWritesParts) {
    this.#parts = parts
  }

  /** Call it when there is new data. */
  schedule(): void {
    if (this.#isClosed) return
    this.#timer ??= setTimeout(() => void this.flush(), this.#parts.delayMs).unref()
  }

  /** Writes the data collected so far. Never rejects: the next write repeats a failed one. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#last = this.#last.then(() => this.#write())
    return this.#last
  }

  /** Writes the data collected so far, and runs the given work before the next write. */
  between(work: () => Promise<void>): Promise<void> {
    const done = this.flush().then(work)
    this.#last = done.catch(() => undefined)
    return done
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.flush()
  }

  async #write(): Promise<void> {
    try {
      await this.#parts.write()
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#parts.onFailure(error)
      this.#isFailing = true
      this.schedule()
    }
  }
}
