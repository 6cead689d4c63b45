import { setImmediate as nextTurn } from 'node:timers/promises'

/** A loop over many small steps holds the process for so long at a time, at most. */
const turnMs = 4

/** Lets others have their turn during a long loop. */
export class TurnTaker {
  #since = performance.now()

  /** Call it once for each step; await what it returns, if it returns something. */
  step(): Promise<void> | undefined {
    return performance.now() - this.#since > turnMs ? this.#pass() : undefined
  }

  async #pass(): Promise<void> {
    await nextTurn()
    this.#since = performance.now()
  }
}
