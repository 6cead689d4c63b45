/** Shorter waits than this are saved up: timers are no finer. */
const grainMs = 4

/**
 * A link that stood still for so long catches up: its ends have buffers, and timers come late.
 */
const catchUpMs = 20

/** A link of a fixed speed, shared by all that goes in one direction. */
export class Link {
  readonly #bytesPerSecond: number
  #freeAtMs = 0

  /** @param bytesPerSecond `Number.POSITIVE_INFINITY`: as fast as it goes. */
  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond
  }

  /** Resolves once this many bytes have passed. */
  async pass(bytes: number): Promise<void> {
    if (!Number.isFinite(this.#bytesPerSecond)) return
    const nowMs = performance.now()
    const takenMs = (bytes / this.#bytesPerSecond) * 1000
    this.#freeAtMs = Math.max(nowMs - catchUpMs, this.#freeAtMs) + takenMs
    const waitMs = this.#freeAtMs - nowMs
    if (waitMs >= grainMs) await afterMs(waitMs)
  }
}

export function afterMs(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
