import { setTimeout as delay } from 'node:timers/promises'

/** Time and randomness; tests inject their own. */
export interface Clock {
  /** Milliseconds since the epoch. The clock may be set back or forward at any moment. */
  now(): number
  /** Milliseconds of a clock that is never set back: for durations. */
  elapsed(): number
  /** @throws the signal's reason when it aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<void>
  /** At least 0, less than 1. */
  random(): number
}

export const systemClock: Clock = {
  now: Date.now,
  elapsed: () => performance.now(),
  random: Math.random,
  async wait(ms, signal) {
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal })
    } catch (error) {
      // Node's error does not contain the signal's reason.
      throw signal?.aborted ? signal.reason : error
    }
  },
}
