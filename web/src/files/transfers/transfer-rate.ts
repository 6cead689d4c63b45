/** The measuring window: long enough for a steady figure, short enough to follow the connection. */
const windowMs = 8_000
const minSpanMs = 750

interface Sample {
  readonly atMs: number
  readonly bytes: number
}

/** Bytes per second over the last seconds. Times come from a monotonic clock. */
export class TransferRate {
  #samples: Sample[] = []
  #total = 0

  /** `bytes` were sent since the last call; negative if some must be sent again. */
  add(bytes: number, nowMs: number): void {
    this.#total += bytes
    const last = this.#samples.at(-1)
    // Progress is reported many times a second: a few samples are enough.
    if (last !== undefined && nowMs - last.atMs < 100) this.#samples.pop()
    this.#samples.push({ atMs: nowMs, bytes: this.#total })
    this.#forget(nowMs)
  }

  /** 0 if nothing is known yet, or nothing was sent within the whole window. */
  bytesPerSecond(nowMs: number): number {
    this.#forget(nowMs)
    const first = this.#samples[0]
    if (first === undefined || nowMs - first.atMs < minSpanMs) return 0
    return Math.max(0, ((this.#total - first.bytes) * 1_000) / (nowMs - first.atMs))
  }

  /** Discards samples from before a pause. */
  restart(): void {
    this.#samples = []
  }

  #forget(nowMs: number): void {
    while ((this.#samples[0]?.atMs ?? nowMs) < nowMs - windowMs) this.#samples.shift()
  }
}

/** The remaining seconds; undefined without a speed. */
export function secondsLeft(bytes: number, bytesPerSecond: number): number | undefined {
  return bytesPerSecond > 0 ? Math.ceil(bytes / bytesPerSecond) : undefined
}
