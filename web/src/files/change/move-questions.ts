import { Store } from '../../ui/store.ts'
import type { ClashAnswer } from './clash-names.ts'
import type { MoveClash } from './move-tree.ts'

/** A question about files whose names exist at the target. */
interface MoveQuestion {
  readonly clashes: readonly MoveClash[]
  readonly answer: (answer: ClashAnswer) => void
}

/** Queues the questions of moves, one at a time. */
export class MoveQuestions extends Store<MoveQuestion | undefined> {
  #line: Promise<unknown> = Promise.resolve()

  constructor() {
    super(undefined)
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
    this.publish({ clashes, answer: resolve })
    const answer = await promise
    signal.removeEventListener('abort', skip)
    this.publish(undefined)
    return answer
  }
}
