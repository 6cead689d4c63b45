/** What speed is taken from: long enough for a steady figure, short enough to follow the line. */
const windowMs = 8_000
const minSpanMs = 750

interface Sample {
  readonly atMs: number
  readonly bytes: number
}

/** Bytes per second over the last seconds. Times are of a monotonic clock. */
export class TransferRate {
  #samples: Sample[] = []
  #total = 0

  /** `bytes` have gone since the last call; fewer than none where some must go again. */
  add(bytes: number, nowMs: number): void {
    this.#total += bytes
    const last = this.#samples.at(-1)
    // Progress comes many times a second: a few samples are enough.
    if (last !== undefined && nowMs - last.atMs < 100) this.#samples.pop()
    this.#samples.push({ atMs: nowMs, bytes: this.#total })
    this.#forget(nowMs)
  }

  /** 0 while nothing is known, and when nothing has moved for the whole window. */
  bytesPerSecond(nowMs: number): number {
    this.#forget(nowMs)
    const first = this.#samples[0]
    if (first === undefined || nowMs - first.atMs < minSpanMs) return 0
    return Math.max(0, ((this.#total - first.bytes) * 1_000) / (nowMs - first.atMs))
  }

  /** After a pause: what lay before says nothing. */
  restart(): void {
    this.#samples = []
  }

  #forget(nowMs: number): void {
    while ((this.#samples[0]?.atMs ?? nowMs) < nowMs - windowMs) this.#samples.shift()
  }
}

/** Seconds for what is left; undefined while there is no speed. */
export function secondsLeft(bytes: number, bytesPerSecond: number): number | undefined {
  return bytesPerSecond > 0 ? Math.ceil(bytes / bytesPerSecond) : undefined
}
