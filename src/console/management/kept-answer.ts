import { withinTime } from '../../process/time-limit.ts'

export interface KeptAnswerOptions<Answer> {
  readonly ask: () => Promise<Answer>
  /** How long an answer counts, a failure as well. */
  readonly maxAgeMs: number
  /** How long somebody waits for one that does not come. */
  readonly waitMs: number
  /** Milliseconds. */
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/**
 * An answer of something slow, asked for rarely and by one caller for all. What hangs is asked once,
 * and not again until it answers.
 */
export class KeptAnswer<Answer> {
  readonly #options: KeptAnswerOptions<Answer>
  #kept: { readonly answer: Answer | undefined; readonly atMs: number } | undefined
  #asking: Promise<Answer | undefined> | undefined

  constructor(options: KeptAnswerOptions<Answer>) {
    this.#options = options
  }

  /** Undefined when it failed, or does not answer in time. Never rejects. */
  async read(): Promise<Answer | undefined> {
    const { maxAgeMs, waitMs, now } = this.#options
    if (this.#kept !== undefined && now() - this.#kept.atMs < maxAgeMs) return this.#kept.answer
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    try {
      return await withinTime(this.#asking, waitMs)
    } catch {
      // It hangs.
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
