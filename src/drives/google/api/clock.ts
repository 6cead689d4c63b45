import { setTimeout as delay } from 'node:timers/promises'

/** Time and chance, so that tests have both in hand. */
export interface Clock {
  /** Milliseconds since the epoch. May be set back or forward at any moment. */
  now(): number
  /** Milliseconds since some moment, always forward: for how long something takes or lasts. */
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
      // Node's own error says only that something aborted; the reason says why.
      throw signal?.aborted ? signal.reason : error
    }
  },
}
