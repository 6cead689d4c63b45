import { setImmediate as nextTurn } from 'node:timers/promises'

/** The longest time that a loop over many small steps may block the process. */
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
