import { Store } from '../../ui/store.ts'
import type { ClashAnswer } from './clash-names.ts'

export interface ShownClash {
  readonly key: string
  /** Sizes and dates of both files, if known. */
  readonly details?: readonly string[]
}

/** A question about files whose names exist at the target. */
interface ClashQuestion {
  readonly clashes: readonly ShownClash[]
  /** Undefined: the question was closed without an answer. */
  readonly answer: (answer: ClashAnswer | undefined) => void
}

/** Queues the questions of uploads and moves, which are shown one at a time. */
export class ClashQuestions extends Store<ClashQuestion | undefined> {
  #line: Promise<unknown> = Promise.resolve()

  constructor() {
    super(undefined)
  }

  /** Undefined if the question is closed without an answer or the signal aborts first. */
  ask(clashes: readonly ShownClash[], signal: AbortSignal): Promise<ClashAnswer | undefined> {
    const answered = this.#line.then(() => this.#show(clashes, signal))
    this.#line = answered
    return answered
  }

  async #show(
    clashes: readonly ShownClash[],
    signal: AbortSignal,
  ): Promise<ClashAnswer | undefined> {
    if (signal.aborted) return undefined
    const { promise, resolve } = Promise.withResolvers<ClashAnswer | undefined>()
    const withdraw = () => resolve(undefined)
    signal.addEventListener('abort', withdraw, { once: true })
    this.publish({ clashes, answer: resolve })
    const answer = await promise
    signal.removeEventListener('abort', withdraw)
    this.publish(undefined)
    return answer
  }
}
