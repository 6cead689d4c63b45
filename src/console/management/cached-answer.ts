import { withinTime } from '../../process/time-limit.ts'

interface CachedAnswerOptions<Answer> {
  readonly ask: () => Promise<Answer>
  /** How long a result is reused, including a failure. */
  readonly maxAgeMs: number
  /** How long a caller waits for a result. */
  readonly waitMs: number
  /** Milliseconds. */
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/**
 * Caches the result of a slow call, which callers share. A call that hangs is not repeated until it
 * returns.
 */
export class CachedAnswer<Answer> {
  readonly #options: CachedAnswerOptions<Answer>
  #kept: { readonly answer: Answer | undefined; readonly atMs: number } | undefined
  #asking: Promise<Answer | undefined> | undefined

  constructor(options: CachedAnswerOptions<Answer>) {
    this.#options = options
  }

  /** Undefined if the call failed or did not return in time. Never rejects. */
  async read(): Promise<Answer | undefined> {
    const { maxAgeMs, waitMs, now } = this.#options
    if (this.#kept !== undefined && now() - this.#kept.atMs < maxAgeMs) return this.#kept.answer
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    try {
      return await withinTime(this.#asking, waitMs)
    } catch {
      // Still running.
      return undefined
    }
  }

  async #ask(): Promise<Answer | undefined> {
    const { ask, now, onError } = this.#options
    let answer: Answer | undefined
    try {
      answer = await ask()
    } catch (error) {
      onError(error)
    }
    this.#kept = { answer, atMs: now() }
    return answer
  }
}
