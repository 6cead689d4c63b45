import { setImmediate as nextTurn } from 'node:timers/promises'

/** Maximum time that a loop over many small steps may block the process. */
const turnMs = 4

/** Lets other work run during a long loop. */
export class TurnTaker {
  #since = performance.now()

  /** Call it once for each step, and await the promise if it returns one. */
  step(): Promise<void> | undefined {
    return performance.now() - this.#since > turnMs ? this.#pass() : undefined
  }

  async #pass(): Promise<void> {
    await nextTurn()
    this.#since = performance.now()
  }
}
