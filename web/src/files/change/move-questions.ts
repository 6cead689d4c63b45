import type { ClashAnswer } from './clash-names.ts'
import type { MoveClash } from './move-tree.ts'

/** A question about files whose names exist at the target. */
interface MoveQuestion {
  readonly clashes: readonly MoveClash[]
  readonly answer: (answer: ClashAnswer) => void
}

/** Queues the questions of moves, one at a time. */
export class MoveQuestions {
  readonly #listeners = new Set<() => void>()
  #question: MoveQuestion | undefined
  #line: Promise<unknown> = Promise.resolve()

  readonly snapshot = (): MoveQuestion | undefined => this.#question

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Resolves with the answer; `skip` when the signal aborts before. */
  ask(clashes: readonly MoveClash[], signal: AbortSignal): Promise<ClashAnswer> {
    const answered = this.#line.then(() => this.#show(clashes, signal))
    this.#line = answered
    return answered
  }

  async #show(clashes: readonly MoveClash[], signal: AbortSignal): Promise<ClashAnswer> {
    if (signal.aborted) return 'skip'
    const { promise, resolve } = Promise.withResolvers<ClashAnswer>()
    const skip = () => resolve('skip')
    signal.addEventListener('abort', skip, { once: true })
    this.#notify({ clashes, answer: resolve })
    const answer = await promise
    signal.removeEventListener('abort', skip)
    this.#notify(undefined)
    return answer
  }

  #notify(question: MoveQuestion | undefined): void {
    this.#question = question
    for (const listener of this.#listeners) listener()
  }
}
