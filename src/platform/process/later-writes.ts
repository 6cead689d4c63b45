interface LaterWritesParts {
  /** Writes what was noted. */
  readonly write: () => Promise<void>
  readonly delayMs: number
  /** Called for the first of several failures. A write that failed is tried again. */
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

  /** To be called when something was noted. */
  schedule(): void {
    if (this.#isClosed) return
    this.#timer ??= setTimeout(() => void this.flush(), this.#parts.delayMs).unref()
  }

  /** Writes what was noted so far. Never rejects: what fails is written the next time. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#last = this.#last.then(() => this.#write())
    return this.#last
  }

  /** Writes what was noted so far, and does this before the next write. */
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
